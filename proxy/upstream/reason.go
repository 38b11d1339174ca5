package upstream

// reasonNames are for logs; they never hold anything of a peer's.
var reasonNames = [...]string{
	Dial: "dial", Timeout: "timeout", Status: "status", ContentType: "content_type", Encoding: "encoding", Empty: "empty",
	Malformed: "malformed", WrongID: "wrong_id", Cut: "cut", TooLarge: "too_large", Redirect: "redirect",
	Unauthorized: "unauthorized", MissingCapability: "missing_capability", HeaderMismatch: "header_mismatch",
	NoCommonVersion: "no_common_version", Protocol: "protocol", Broken: "broken", Cancelled: "cancelled",
	WrongEra: "wrong_era", Refused: "refused", OwnCredential: "own_credential",
}

// String names the reason; "" is none.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return ""
}
