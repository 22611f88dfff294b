// How the common senders are told of the service: the settings of each, as they are pasted.

export type Sender = { name: string; where: string; value: string }

const signalPaths = { traces: '/v1/traces', logs: '/v1/logs', metrics: '/v1/metrics' } as const

/** `base` has no slash at its end. */
export function sendersOf(base: string, secret: string): readonly Sender[] {
  const url = `${base}/v1/otlp`
  const { protocol, hostname, port, pathname } = new URL(url)
  const isTls = protocol === 'https:'
  return [
    {
      name: 'SDKs',
      where: 'Environment variables of any OpenTelemetry SDK',
      value: [
        `OTEL_EXPORTER_OTLP_ENDPOINT=${url}`,
        `OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${secret}`,
        'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf',
        'OTEL_SERVICE_NAME=my-service',
      ].join('\n'),
    },
    {
      name: 'Collector',
      where: 'config.yaml of the OpenTelemetry Collector; add the exporter to your pipelines',
      value: `exporters:
  otlphttp/atrium:
    endpoint: ${url}
    headers:
      authorization: "Bearer ${secret}"

service:
  pipelines:
    traces:
      exporters: [otlphttp/atrium]
    logs:
      exporters: [otlphttp/atrium]
    metrics:
      exporters: [otlphttp/atrium]`,
    },
    {
      name: 'Fluent Bit',
      where: 'fluent-bit.yaml',
      value: `pipeline:
  outputs:
    - name: opentelemetry
      match: "*"
      host: ${hostname}
      port: ${port || (isTls ? '443' : '80')}
      tls: ${isTls ? 'on' : 'off'}
      logs_uri: ${pathname}${signalPaths.logs}
      traces_uri: ${pathname}${signalPaths.traces}
      metrics_uri: ${pathname}${signalPaths.metrics}
      header:
        - Authorization Bearer ${secret}`,
    },
    {
      name: 'Vector',
      where: 'vector.yaml, with an opentelemetry source that has use_otlp_decoding: true',
      value: `sinks:
  atrium:
    type: opentelemetry
    inputs: [otel.logs]
    protocol:
      type: http
      uri: ${url}${signalPaths.logs}
      method: post
      encoding:
        codec: otlp
      framing:
        method: bytes
      request:
        headers:
          content-type: application/x-protobuf
          authorization: "Bearer ${secret}"`,
    },
    {
      name: 'curl',
      where: 'One log, to try it',
      value: `curl -X POST '${url}${signalPaths.logs}' \\
  -H 'authorization: Bearer ${secret}' \\
  -H 'content-type: application/json' \\
  -d '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"my-service"}}]},"scopeLogs":[{"logRecords":[{"severityNumber":9,"severityText":"INFO","body":{"stringValue":"It works"}}]}]}]}'`,
    },
  ]
}
