package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// caused are the series that the scenes have moved, with what they must show.
var caused = []struct {
	series string
	value  int
}{
	{`sessions_opened_total{negotiated="2025-11-25",requested="2025-11-25",route="/mcp"}`, 1},
	{`requests_total{era="legacy",method="tools/call",outcome="ok",route="/mcp"}`, 5},
	{`requests_total{era="legacy",method="tools/call",outcome="limit",route="/mcp"}`, 1},
	{`attempts_total{method="tools/call",outcome="complete",route="/mcp"}`, 5},
	{`attempts_total{method="tools/call",outcome="input_required",route="/mcp"}`, 8},
	{`rounds_sum{method="tools/call",outcome="ok",route="/mcp"}`, 10},
	{`rounds_count{method="tools/call",outcome="ok",route="/mcp"}`, 5},
	{`asks_total{kind="elicitation_form",outcome="accept",route="/mcp",source="policy"}`, 1},
	{`asks_total{kind="elicitation_form",outcome="accept",route="/mcp",source="client"}`, 5},
	{`asks_total{kind="elicitation_form",outcome="decline",route="/mcp",source="client"}`, 1},
	{`policy_decisions_total{action="accept",route="/mcp",rule="dry-runs-need-nobody"}`, 1},
	{`policy_decisions_total{action="forward",route="/mcp",rule="ask-the-person"}`, 6},
	{`limit_trips_total{limit="max_rounds",mode="enforce",route="/mcp"}`, 1},
	{`round_trips_open{route="/mcp"}`, 0},
}

const namespace = "mrtr_proxy_"

// settle is how long the last request may take to be counted after its client has the answer.
const settle = 5 * time.Second

// showMetrics prints what the scenes have caused.
func showMetrics(ctx context.Context, t *transcript, d *daemon) {
	t.scene("What the operator sees", "A part of "+d.admin+"/metrics")
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	for {
		values, err := scrape(ctx, d.admin)
		if err == nil && asExpected(values) || ctx.Err() != nil {
			report(t, values)
			return
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func report(t *transcript, values map[string]string) {
	for _, c := range caused {
		got, there := values[namespace+c.series]
		if !there {
			got = "(no such series)"
		}
		t.print("   %s%s %s\n", namespace, c.series, got)
	}
	t.check(asExpected(values), "every number is right")
}

func asExpected(values map[string]string) bool {
	for _, c := range caused {
		if values[namespace+c.series] != fmt.Sprint(c.value) {
			return false
		}
	}
	return true
}

// scrape reads the metrics: series with labels → value.
func scrape(ctx context.Context, admin string) (map[string]string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if at := strings.LastIndexByte(line, ' '); at > 0 && line[0] != '#' {
			values[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return values, nil
}
