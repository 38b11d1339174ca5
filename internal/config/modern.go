package config

// Modern is what a route does for modern clients.
type Modern struct {
	EarlyAnswers EarlyAnswers
}

// EarlyAnswers is what becomes of answers that come before the client was asked.
type EarlyAnswers string

// The choices: the request is refused, or they wait in it until the server asks.
const (
	EarlyAnswersRefuse EarlyAnswers = "refuse"
	EarlyAnswersHold   EarlyAnswers = "hold"
)

func modernKeys(m *Modern) section {
	return section{"modern", []field{
		{"early_answers", oneOf(&m.EarlyAnswers, EarlyAnswersRefuse, EarlyAnswersHold)},
	}}
}
