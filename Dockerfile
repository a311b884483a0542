# See docs/self-hosting.md. Two stages: the first installs and builds, the second runs what is needed.
FROM node:26-bookworm-slim AS build
WORKDIR /kith
COPY . .
RUN npm ci && npm prune --omit=dev

FROM node:26-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/kith.db
WORKDIR /kith
COPY --from=build /kith /kith
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# The process itself gets the signal to stop, and finishes what it has begun.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=45", "server/src/main.ts", "serve"]
