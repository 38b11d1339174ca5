package main

import "github.com/modelcontextprotocol/go-sdk/mcp"

// scenes are played in this order.
var scenes = []scene{
	{
		title: "A plain call", about: "The server needs nothing. The call goes up in the modern form, and the result comes back.",
		tool: "status", args: map[string]any{},
		text: "2.3 runs on production", attempts: 1, details: true,
	},
	{
		title: "An answer by rule", about: "The server asks, and the rule dry-runs-need-nobody answers. The client hears nothing of it.",
		tool: "release", args: map[string]any{"version": "2.4", "environment": "staging", "dry_run": true},
		text: "a dry run: 2.4 would go to staging", attempts: 2,
		answers: `{"confirm":{"action":"accept","content":{"confirm":true,"environment":"staging"}}}`,
	},
	{
		title: "A form for the person", about: "No dry run: the ask becomes a request to the client, and what the person says goes up with the next attempt.",
		tool: "release", args: map[string]any{"version": "2.4", "environment": "production"},
		person: []*mcp.ElicitResult{accept(map[string]any{"confirm": true, "environment": "production"})},
		text:   "2.4 is on production", attempts: 2,
		answers: `{"confirm":{"action":"accept","content":{"confirm":true,"environment":"production"}}}`,
	},
	{
		title: "Three rounds", about: "The second question depends on the first answer. The server, which remembers nothing, has it in its requestState.",
		tool: "create_service", args: map[string]any{},
		person: []*mcp.ElicitResult{accept(map[string]any{"name": "billing"}), accept(map[string]any{"port": 8443})},
		text:   "created billing on port 8443", attempts: 3,
		answers: `{"port":{"action":"accept","content":{"port":8443}}}`,
	},
	{
		title: "A declined form", about: "No is an answer too: it goes up, and the server decides what that means.",
		tool: "release", args: map[string]any{"version": "3.0", "environment": "production"},
		person: []*mcp.ElicitResult{{Action: "decline"}},
		text:   "nothing was released", attempts: 2,
		answers: `{"confirm":{"action":"decline"}}`,
	},
	{
		title: "A limit", about: "This server never stops asking. max_rounds, 3 here, ends it, with a result that the model can read.",
		tool: "interview", args: map[string]any{},
		person:   []*mcp.ElicitResult{accept(map[string]any{"more": "this"}), accept(map[string]any{"more": "that"})},
		failure:  `{"kind":"mrtr_round_limit","limit":"max_rounds","rounds":3}`,
		attempts: 3,
		answers:  `{"more":{"action":"accept","content":{"more":"that"}}}`,
	},
}

func accept(content map[string]any) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: content}
}
