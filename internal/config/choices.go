package config

// Level is the least severe level that is logged.
type Level string

// The levels.
const (
	LevelDebug Level = "debug"
	LevelInfo  Level = "info"
	LevelWarn  Level = "warn"
	LevelError Level = "error"
)

// Format is what a log line looks like.
type Format string

// The formats.
const (
	FormatJSON    Format = "json"
	FormatConsole Format = "console"
)

// Access says of how many exchanges the log has a line.
type Access string

// The ways: not all of a flood, every one, or none.
const (
	AccessSampled Access = "sampled"
	AccessAll     Access = "all"
	AccessOff     Access = "off"
)

// Bind says what of a credential a session is bound to.
type Bind string

// The bindings.
const (
	BindSubject    Bind = "subject"
	BindCredential Bind = "credential"
	BindNone       Bind = "none"
)

// Failures says how the failure of a round trip is told to a client.
type Failures string

// The ways: as a tool result where there is one, or always as a JSON-RPC error.
const (
	FailuresAuto    Failures = "auto"
	FailuresJSONRPC Failures = "jsonrpc"
)

// Mode says what a trip of a limit does.
type Mode string

// The modes; an observed trip is counted only.
const (
	ModeEnforce Mode = "enforce"
	ModeObserve Mode = "observe"
)

// Per says who has a bucket of their own of a budget.
type Per string

// The words of budgets[].per.
const (
	PerPrincipal Per = "principal"
	PerSession   Per = "session"
	PerRoute     Per = "route"
	PerTool      Per = "tool"
	PerClient    Per = "client"
)

// Choice is what becomes of an unanswered elicitation.
type Choice string

// The choices: the request fails, or the server hears that the person cancelled.
const (
	ChoiceFail   Choice = "fail"
	ChoiceCancel Choice = "cancel"
)

// OnFailure is what becomes of an ask whose audit record is lost.
type OnFailure string

// The choices: the ask is answered all the same, or fails.
const (
	OnFailureContinue OnFailure = "continue"
	OnFailureRefuse   OnFailure = "refuse"
)

// Era is the protocol era of an upstream, as far as the file settles it.
type Era string

// The eras; auto finds out.
const (
	EraAuto   Era = "auto"
	EraModern Era = "modern"
	EraLegacy Era = "legacy"
)

// Credential is where a credential comes from.
type Credential string

// The origins of a credential: the client's own, none at all, or a fixed one of the route.
const (
	CredentialForward Credential = "forward"
	CredentialNone    Credential = "none"
	CredentialFixed   Credential = "fixed"
)
