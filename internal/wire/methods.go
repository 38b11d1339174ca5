package wire

// The methods of both eras.
const (
	MethodInitialize            = "initialize"
	MethodPing                  = "ping"
	MethodDiscover              = "server/discover"
	MethodListen                = "subscriptions/listen"
	MethodToolsList             = "tools/list"
	MethodToolsCall             = "tools/call"
	MethodPromptsList           = "prompts/list"
	MethodPromptsGet            = "prompts/get"
	MethodResourcesList         = "resources/list"
	MethodResourceTemplatesList = "resources/templates/list"
	MethodResourcesRead         = "resources/read"
	MethodResourcesSubscribe    = "resources/subscribe"
	MethodResourcesUnsubscribe  = "resources/unsubscribe"
	MethodComplete              = "completion/complete"
	MethodSetLevel              = "logging/setLevel"
	MethodTasksGet              = "tasks/get"
	MethodTasksResult           = "tasks/result"
	MethodTasksList             = "tasks/list"
	MethodTasksCancel           = "tasks/cancel"
	MethodTasksUpdate           = "tasks/update"

	MethodElicit        = "elicitation/create"
	MethodCreateMessage = "sampling/createMessage"
	MethodRootsList     = "roots/list"

	NotifyInitialized         = "notifications/initialized"
	NotifyCancelled           = "notifications/cancelled"
	NotifyProgress            = "notifications/progress"
	NotifyMessage             = "notifications/message"
	NotifyRootsChanged        = "notifications/roots/list_changed"
	NotifyToolsChanged        = "notifications/tools/list_changed"
	NotifyPromptsChanged      = "notifications/prompts/list_changed"
	NotifyResourcesChanged    = "notifications/resources/list_changed"
	NotifyResourceUpdated     = "notifications/resources/updated"
	NotifyElicitationComplete = "notifications/elicitation/complete"
	NotifyAcknowledged        = "notifications/subscriptions/acknowledged"
	NotifyTaskStatus          = "notifications/tasks/status"
)

// The members of _meta that the modern protocol defines, and those of the tasks
// extension's name.
const (
	MetaPrefix             = "io.modelcontextprotocol/"
	MetaProtocolVersion    = MetaPrefix + "protocolVersion"
	MetaClientInfo         = MetaPrefix + "clientInfo"
	MetaClientCapabilities = MetaPrefix + "clientCapabilities"
	MetaLogLevel           = MetaPrefix + "logLevel"
	MetaSubscriptionID     = MetaPrefix + "subscriptionId"
	MetaServerInfo         = MetaPrefix + "serverInfo"
	TasksExtension         = MetaPrefix + "tasks"
)

// MayAsk reports whether a server may answer method with input_required (Multi
// Round-Trip Requests).
func MayAsk(method string) bool {
	return method == MethodToolsCall || method == MethodPromptsGet || method == MethodResourcesRead
}

// NameMember is the member of params that the Mcp-Name header mirrors, "" when
// method has none (Streamable HTTP, Standard Request Headers).
func NameMember(method string) string {
	switch method {
	case MethodToolsCall, MethodPromptsGet:
		return "name"
	case MethodResourcesRead:
		return "uri"
	}
	return ""
}

// IsRepeatable reports whether an attempt of method that carried neither answers
// nor state may be sent again after it may have reached the server.
func IsRepeatable(method string) bool {
	switch method {
	case MethodToolsList, MethodPromptsList, MethodResourcesList, MethodResourceTemplatesList,
		MethodDiscover, MethodResourcesRead, MethodPromptsGet:
		return true
	}
	return false
}

// MethodLabel is method when it is one of the known ones, else "other": a bounded
// set for metrics.
func MethodLabel(method string) string {
	if known, ok := methodNames[method]; ok {
		return known
	}
	return "other"
}

// methodNames maps every known method to itself, so that a lookup by bytes gives a
// string without allocation.
var methodNames = nameTable(
	MethodInitialize, MethodPing, MethodDiscover, MethodListen, MethodToolsList, MethodToolsCall,
	MethodPromptsList, MethodPromptsGet, MethodResourcesList, MethodResourceTemplatesList,
	MethodResourcesRead, MethodResourcesSubscribe, MethodResourcesUnsubscribe, MethodComplete,
	MethodSetLevel, MethodTasksGet, MethodTasksResult, MethodTasksList, MethodTasksCancel,
	MethodTasksUpdate, MethodElicit, MethodCreateMessage, MethodRootsList, NotifyInitialized,
	NotifyCancelled, NotifyProgress, NotifyMessage, NotifyRootsChanged, NotifyToolsChanged,
	NotifyPromptsChanged, NotifyResourcesChanged, NotifyResourceUpdated, NotifyElicitationComplete,
	NotifyAcknowledged, NotifyTaskStatus,
)

func nameTable(names ...string) map[string]string {
	t := make(map[string]string, len(names))
	for _, n := range names {
		t[n] = n
	}
	return t
}
