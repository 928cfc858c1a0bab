# The host and its workers, for packaging/compose.yaml.
FROM rust:1.95-bookworm AS build
WORKDIR /plait
COPY . .
RUN cargo build --release --locked --package plait-server

FROM debian:bookworm-slim
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /plait/target/release/plait-server /usr/local/bin/plait-server
RUN useradd --system --create-home plait && install --directory --owner=plait /data /flows
USER plait
ENTRYPOINT ["plait-server"]
