import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Seen, Tracing } from './watch.ts'

/** Sends a span for every request to a collector. Loaded only where one is configured. */
export function openTracing(endpoint: string, serviceName: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('kith')
  return {
    saw(seen) {
      const startTime = Date.now() - seen.seconds * 1000
      const options = { kind: SpanKind.SERVER, startTime, attributes: attributesOf(seen) }
      const span = tracer.startSpan(`${seen.method} ${seen.route}`, options, contextOf(seen.traceparent))
      if (seen.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    close: () => provider.shutdown(),
  }
}

function attributesOf({ method, route, status, request_id, workspace }: Seen): Record<string, string | number> {
  return {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'kith.request_id': request_id,
    ...(workspace === undefined ? {} : { 'kith.workspace': workspace }),
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span of whoever called, where the request names it. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '0', 16),
    isRemote: true,
  })
}
