import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { ObservedRequest, Tracing } from './observed.ts'

/** Sends a span for every request to a collector. Loaded only if one is configured. */
export function openTracing(endpoint: string, serviceName: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('kith')
  return {
    record(request) {
      const startTime = Date.now() - request.seconds * 1000
      const options = { kind: SpanKind.SERVER, startTime, attributes: attributesOf(request) }
      const span = tracer.startSpan(`${request.method} ${request.route}`, options, contextOf(request.traceparent))
      if (request.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
    close: () => provider.shutdown(),
  }
}

function attributesOf(request: ObservedRequest): Record<string, string | number> {
  const { method, route, status, request_id, workspace } = request
  return {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'kith.request_id': request_id,
    ...(workspace === undefined ? {} : { 'kith.workspace': workspace }),
  }
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span of the caller, where the request names it. */
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
