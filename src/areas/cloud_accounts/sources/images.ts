// Says by the name of an image what runs in it.
import type { Category } from '../found/contract.ts'

/** The first that fits counts: an exporter of a database watches it, and a page for it is no database. */
const forms: readonly [RegExp, Category][] = [
  [/exporter/, 'observability'],
  [
    named(
      'prometheus|grafana|loki|tempo|mimir|thanos|jaeger|zipkin|otel|opentelemetry|alertmanager|promtail|alloy|fluentd?|vector|kibana|logstash|filebeat|metricbeat|datadog|agent|cadvisor|telegraf|sentry|uptime|victoria|signoz|pushgateway|statsd|dozzle|netdata',
    ),
    'observability',
  ],
  [
    /(?:^|[-_])(?:ui|admin|express|commander|manager|backup|migrate|init|cli)$|^(?:phpmyadmin|pgadmin|adminer)/,
    'compute',
  ],
  [
    named(
      'postgres(?:ql)?|postgis|pgvector|pgbouncer|timescaledb?|mysql|mariadb|percona|redis|valkey|keydb|dragonfly|mongo(?:db)?|cassandra|scylla|cockroach(?:db)?|clickhouse|elasticsearch|opensearch|influxdb|couchdb|couchbase|neo4j|memcached|mssql|azure-sql-edge|oracle|etcd|dynamodb|qdrant|weaviate|milvus|chroma|meilisearch|typesense|solr|arangodb|surrealdb|rethinkdb|questdb|trino|immudb|tidb',
    ),
    'database',
  ],
  [
    named(
      'rabbitmq|kafka|cp-kafka|redpanda|nats|activemq|artemis|pulsar|mosquitto|emqx|zookeeper|elasticmq|nsq|beanstalkd',
    ),
    'messaging',
  ],
  [
    named(
      'nginx|openresty|traefik|haproxy|envoy|caddy|kong|httpd|apache|varnish|squid|cloudflared|tailscale|wireguard|coredns|pihole|bind9?|dnsmasq|swag|ngrok',
    ),
    'network',
  ],
  [named('minio|seaweedfs|ceph|rook|nfs|samba|sftp|azurite|fake-gcs-server|garage'), 'storage'],
  [named('keycloak|authentik|authelia|dex|oauth2-proxy|openldap|zitadel|ory|kratos|hydra|logto'), 'identity'],
  [named('vault|openbao|crowdsec|falco|clamav|certbot|step-ca'), 'security'],
  [named('registry|gitea|forgejo|gitlab|gogs|jenkins|drone|woodpecker|sonarqube|nexus|harbor'), 'code'],
  [named('consul|unleash|flagd'), 'config'],
]

function named(names: string): RegExp {
  return new RegExp(`^(?:${names})(?:$|[-_.\\d])`)
}

/** `registry:5000/bitnami/postgresql:16@sha256:…` is a `postgresql`. */
export function categoryOfImage(image: string): Category {
  const name = image.split('@')[0]?.split('/').at(-1)?.split(':')[0]?.toLowerCase() ?? ''
  return forms.find(([form]) => form.test(name))?.[1] ?? 'compute'
}
