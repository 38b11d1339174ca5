package policy

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// sensitiveParts give a field away wherever they stand in its name, sensitiveWords only as a word.
var (
	sensitiveParts = [...]string{
		"password", "passwd", "passphrase", "passcode", "secret", "token", "credential", "apikey",
		"accesskey", "privatekey", "signingkey", "encryptionkey", "cardnumber", "creditcard", "debitcard",
		"securitycode", "verificationcode", "onetimecode", "accountnumber", "routingnumber",
		"socialsecurity", "passport", "seedphrase", "mnemonic",
	}
	sensitiveWords = [...]string{
		"pass", "pwd", "pin", "otp", "totp", "mfa", "2fa", "cvv", "cvv2", "cvc", "cvc2", "pan", "iban", "ssn",
		"auth", "authorization", "bearer", "cookie", "jwt",
	}
)

// looksSensitive judges a field by its name, its title and its format.
func looksSensitive(name string, schema []byte) bool {
	title, _ := wire.Unquote(wire.Get(schema, "title"))
	format, _ := wire.Unquote(wire.Get(schema, "format"))
	return soundsSensitive(name) || soundsSensitive(title) || strings.EqualFold(format, "password")
}

func soundsSensitive(name string) bool {
	words := nameWords(name)
	joined := strings.Join(words, "")
	for _, part := range sensitiveParts {
		if strings.Contains(joined, part) {
			return true
		}
	}
	for _, word := range sensitiveWords {
		if slices.Contains(words, word) {
			return true
		}
	}
	return false
}

// nameWords cuts card_number, cardNumber, "Card number" and CARD-NUMBER into the same words.
func nameWords(name string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			lower = false
			continue
		case unicode.IsUpper(r) && lower:
			flush()
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		word = append(word, r)
	}
	flush()
	return words
}
