// Command gen writes the Grafana dashboard of mrtr-proxy.
//
//	go run . > ../mrtr-proxy.json
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

func main() {
	d, err := build().Build()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	if err := out.Encode(d); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build() *dashboard.DashboardBuilder {
	b := dashboard.NewDashboardBuilder("mrtr-proxy").
		Uid("mrtr-proxy").
		Description("Requests, rounds, questions and servers of mrtr-proxy.").
		Tags([]string{"mrtr-proxy", "mcp"}).
		Refresh("30s").
		Time("now-1h", "now").
		Tooltip(dashboard.DashboardCursorSyncCrosshair).
		WithVariable(dashboard.NewDatasourceVariableBuilder("datasource").Label("Data source").Type("prometheus")).
		WithVariable(routes())
	for _, r := range rows() {
		b.WithRow(dashboard.NewRowBuilder(r.title))
		for _, p := range r.panels {
			if p.number {
				b.WithPanel(p.stat())
			} else {
				b.WithPanel(p.graph())
			}
		}
	}
	return b
}

func routes() *dashboard.QueryVariableBuilder {
	query := "label_values(mrtr_proxy_upstream_era, route)"
	return dashboard.NewQueryVariableBuilder("route").Label("Route").
		Query(dashboard.StringOrMap{String: &query}).
		Datasource(source()).
		Refresh(dashboard.VariableRefreshOnTimeRangeChanged).
		Multi(true).IncludeAll(true).AllValue(".*").
		Current(dashboard.VariableOption{
			Text:  dashboard.StringOrArrayOfString{String: ptr("All")},
			Value: dashboard.StringOrArrayOfString{String: ptr("$__all")},
		})
}

func ptr(s string) *string { return &s }

func source() common.DataSourceRef {
	return common.DataSourceRef{Type: ptr("prometheus"), Uid: ptr("$datasource")}
}

// query is one query of a panel and what its series are called.
func (q query) target(ref string) *prometheus.DataqueryBuilder {
	return prometheus.NewDataqueryBuilder().RefId(ref).Datasource(source()).Expr(q.expr).LegendFormat(q.legend).Exemplar(q.exemplars).Range()
}

func (p panel) graph() *timeseries.PanelBuilder {
	b := timeseries.NewPanelBuilder().
		Title(p.title).Description(p.description).Datasource(source()).Unit(p.unit).Min(0).
		FillOpacity(10).ShowPoints(common.VisibilityModeNever).Span(8).Height(8).
		Legend(common.NewVizLegendOptionsBuilder().
			DisplayMode(common.LegendDisplayModeList).Placement(common.LegendPlacementBottom).ShowLegend(true)).
		Tooltip(common.NewVizTooltipOptionsBuilder().Mode(common.TooltipDisplayModeMulti).Sort(common.SortOrderDescending))
	for i, q := range p.queries {
		b.WithTarget(q.target(string(rune('A' + i))))
	}
	return b
}

func (p panel) stat() *stat.PanelBuilder {
	b := stat.NewPanelBuilder().
		Title(p.title).Description(p.description).Datasource(source()).Unit(p.unit).Span(4).Height(4).
		ReduceOptions(common.NewReduceDataOptionsBuilder().Calcs([]string{"lastNotNull"}))
	for i, q := range p.queries {
		b.WithTarget(q.target(string(rune('A' + i))))
	}
	return b
}
