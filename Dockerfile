# The static binary and nothing else, for a user without rights.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t mrtr-proxy .
#   docker run -p 8808:8808 -v $PWD/config.yaml:/etc/mrtr-proxy/config.yaml:ro mrtr-proxy
#
# The configuration has to listen on 0.0.0.0:8808; the admin listener may stay on
# loopback, where the health check asks it.

FROM --platform=$BUILDPLATFORM golang:1.26 AS build
ARG TARGETOS TARGETARCH
ARG VERSION=unknown
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
    go build -trimpath -ldflags "-s -w -X main.release=$VERSION" -o /out/mrtr-proxy ./cmd/mrtr-proxy

# distroless/static brings the certificate authorities that https upstreams need.
FROM gcr.io/distroless/static-debian12:nonroot
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="mrtr-proxy" \
      org.opencontainers.image.description="Lets legacy MCP clients use 2026-07-28 MCP servers" \
      org.opencontainers.image.source="https://github.com/mrtr-proxy/mrtr-proxy" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /out/mrtr-proxy /usr/bin/mrtr-proxy
USER nonroot:nonroot
EXPOSE 8808
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s CMD ["/usr/bin/mrtr-proxy", "healthcheck"]
ENTRYPOINT ["/usr/bin/mrtr-proxy"]
CMD ["serve", "--config", "/etc/mrtr-proxy/config.yaml"]
