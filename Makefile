GO      ?= go
TOOL     = $(GO) tool -modfile=tools/go.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS  = -s -w -X main.release=$(VERSION)
PKG     ?= ./...

# The race detector needs cgo and a C compiler.
RACE    := $(shell [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v "$$($(GO) env CC | cut -d' ' -f1)" >/dev/null 2>&1 && echo -race)

FUZZTIME ?= 20s

.PHONY: help build check fmt vet lint imports test conformance sdk interop demo bench micro fuzz deploy-check soak cover vuln clean

help: ## this list
	@awk -F':[^#]*## ' '/^[a-z-]+:.*## /{printf "%-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the static binary, bin/mrtr-proxy
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/mrtr-proxy ./cmd/mrtr-proxy

check: fmt vet lint imports test ## everything that CI runs

fmt: ## fails on files that gofmt would change
	@bad=$$(gofmt -l $$(find . -name '*.go' -not -path './.git/*' -not -path './.cache/*')); [ -z "$$bad" ] || { echo "not formatted:"; echo "$$bad"; exit 1; }

vet: ## go vet
	$(GO) vet $(PKG)

lint: ## golangci-lint, at the version of tools/go.mod
	$(TOOL) golangci-lint run $(PKG)

imports: ## the rules on imports, file sizes and words
	$(GO) test -count=1 ./internal/arch

test: ## all tests, with the race detector where it works
	$(GO) test $(RACE) -timeout 15m $(PKG)
	$(GO) test -tags purego ./internal/wire # as on machines without assembly

conformance: build ## the official conformance suite through the daemon, against test/conformance/expected.json
	test/run conformance/run.mjs $(PARTS)

sdk: build ## the official TypeScript SDKs: clients of v1 and v2, the daemon, a modern-only server of v2
	test/run sdk

interop: build ## clients as their makers ship them, CLIENTS='claude-code mcp-go' or all; installs half a gigabyte
	test/run interop/run.mjs $(CLIENTS)

demo: ## the main job end to end, on this machine
	$(GO) run ./examples/demo

bench: ## the daemon beside a bare reverse proxy and an SDK bridge; BENCHFLAGS='-o docs/benchmarks.md' writes the report
	$(GO) run ./bench $(BENCHFLAGS)

micro: ## every Go benchmark, with allocations
	$(GO) test -run '^$$' -bench . -benchmem $(PKG)

fuzz: ## every fuzz target for FUZZTIME each
	@set -e; for dir in $$(grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -r -n1 dirname | sort -u); do \
		for name in $$(cat $$dir/*_test.go | grep -oE '^func Fuzz[A-Za-z0-9_]+' | cut -d' ' -f2 | sort -u); do \
			echo "$$dir $$name"; $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$dir; \
		done; \
	done

deploy-check: ## all of deploy: rules, dashboard, unit, manifests, and a real Prometheus
	deploy/check/run

soak: build ## 200,000 exchanges of all kinds, and what stays behind
	MRTR_PROXY_BIN=$(CURDIR)/bin/mrtr-proxy $(GO) test -count=1 -tags soak -timeout 20m -v ./deploy/soak

cover: ## coverage of the tests, cover.html
	$(GO) test -coverpkg=./... -coverprofile=cover.out $(PKG)
	$(GO) tool cover -func=cover.out | tail -1
	$(GO) tool cover -html=cover.out -o cover.html

vuln: ## known vulnerabilities; asks vuln.go.dev
	$(TOOL) govulncheck $(PKG)

clean: ## what the targets above leave
	rm -rf bin dist cover.out cover.html
