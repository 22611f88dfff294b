# The platform as an image: built in one stage, run in another without a compiler, sources or root.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY console/package.json console/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The Node that a checkout brings along is not needed here: the image has one.
RUN npm run build && npm run build:console \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node node_modules/atrium-console console/node_modules

FROM node:24-bookworm-slim
# Repositories are read by the system's own git, and over ssh by its ssh.
RUN apt-get update && apt-get install -y --no-install-recommends git openssh-client && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/bin bin
COPY --from=build /build/dist dist
COPY --from=build /build/console/dist console/dist
COPY --from=build /build/node_modules node_modules
RUN install -d -o node -g node -m 700 /data && ln -s /app/bin/atrium /usr/local/bin/atrium
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 CMD ["node", "-e", \
  "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["atrium", "serve"]
