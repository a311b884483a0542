# See docs/operate/self-hosting.md. The first stage lays out a release, the second runs it. Packages come first, so that
# their layer is made again only when they change.
ARG BUILD_IMAGE=node:26-bookworm-slim
ARG RUN_IMAGE=debian:bookworm-slim
FROM ${BUILD_IMAGE} AS build
WORKDIR /kith
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY generators/package.json generators/
COPY sdk/package.json sdk/
COPY server/package.json server/
COPY web/package.json web/
# Only the package that holds Node has a script that a release needs. The guide is built with development packages.
RUN npm ci --include=dev --ignore-scripts && npm rebuild node
COPY . .
RUN npm run build && npm run docs && node scripts/release.ts /release

# No Node here: the release has its own, which needs this library.
FROM ${RUN_IMAGE}
RUN apt-get update && apt-get install --yes --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/kith.db
COPY --from=build /release /kith
RUN useradd --system --uid 1000 --home-dir /data kith && mkdir /data /var/backups/kith && chown kith /data /var/backups/kith && ln -s /kith/kith /usr/local/bin/kith
USER kith
WORKDIR /data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["/kith/node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["/kith/kith", "serve"]
