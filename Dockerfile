# Builds the web app and keeps only what the server needs. Use it with compose.yaml, or with any PostgreSQL at DATABASE_URL.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --loglevel=error
COPY . .
RUN node -e "import('./scripts/prepare.mjs').then(({ build }) => build())"
# The base image includes Node. The Node in node_modules is only for machines whose own Node is too old.
RUN npm prune --omit=dev --ignore-scripts --loglevel=error && rm -rf node_modules/node-linux-* node_modules/.bin/node dist/compiled
# Completes the bundled PostgreSQL here, because the container may not write to it. Otherwise, DATA_DIR would get a copy.
RUN node -e "import('./src/platform/postgres/binaries.ts').then(({ packagedBinaries, runnableBinaries }) => runnableBinaries(packagedBinaries(), '/tmp'))"

FROM node:24-slim
# The font of the link preview images, and a name for every user id: PostgreSQL creates no data without one.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core libnss-unknown && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data MALLOC_MMAP_THRESHOLD_=131072 MALLOC_ARENA_MAX=1 NODE_COMPILE_CACHE=/data/compiled
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/src ./src
# `muster admin`, `muster backup` and `muster restore` in the container.
COPY --from=build /app/scripts/muster /usr/local/bin/muster
# A container with another user id has the group 0.
RUN mkdir -m 770 /data && chown node:0 /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node runs as process 1, so that it receives the signal to stop.
CMD ["node", "--max-semi-space-size=16", "--max-old-space-size=1024", "src/app/main.ts"]
