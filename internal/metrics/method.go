package metrics

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// Method is a request method as a label: known to one of the eras, or MethodOther.
type Method uint8

// The methods a client may send, of both eras.
const (
	MethodOther Method = iota
	MethodInitialize
	MethodPing
	MethodDiscover
	MethodListen
	MethodToolsList
	MethodToolsCall
	MethodPromptsList
	MethodPromptsGet
	MethodResourcesList
	MethodResourceTemplatesList
	MethodResourcesRead
	MethodResourcesSubscribe
	MethodResourcesUnsubscribe
	MethodComplete
	MethodSetLevel
	MethodTasksGet
	MethodTasksResult
	MethodTasksList
	MethodTasksCancel
	MethodTasksUpdate
	methodCount
)

var methodNames = [methodCount]string{
	MethodOther:                 "other",
	MethodInitialize:            wire.MethodInitialize,
	MethodPing:                  wire.MethodPing,
	MethodDiscover:              wire.MethodDiscover,
	MethodListen:                wire.MethodListen,
	MethodToolsList:             wire.MethodToolsList,
	MethodToolsCall:             wire.MethodToolsCall,
	MethodPromptsList:           wire.MethodPromptsList,
	MethodPromptsGet:            wire.MethodPromptsGet,
	MethodResourcesList:         wire.MethodResourcesList,
	MethodResourceTemplatesList: wire.MethodResourceTemplatesList,
	MethodResourcesRead:         wire.MethodResourcesRead,
	MethodResourcesSubscribe:    wire.MethodResourcesSubscribe,
	MethodResourcesUnsubscribe:  wire.MethodResourcesUnsubscribe,
	MethodComplete:              wire.MethodComplete,
	MethodSetLevel:              wire.MethodSetLevel,
	MethodTasksGet:              wire.MethodTasksGet,
	MethodTasksResult:           wire.MethodTasksResult,
	MethodTasksList:             wire.MethodTasksList,
	MethodTasksCancel:           wire.MethodTasksCancel,
	MethodTasksUpdate:           wire.MethodTasksUpdate,
}

// String gives the label.
func (m Method) String() string { return methodNames[m] }

// MethodOf finds the label of a method as a peer named it. It is meant to be called once an exchange.
func MethodOf(name string) Method {
	for m := MethodOther + 1; m < methodCount; m++ {
		if methodNames[m] == name {
			return m
		}
	}
	return MethodOther
}
