// Says by the type of a resource what it is. The longest beginning that is listed counts.
import type { Category } from '../../found/contract.ts'

const beginnings: Record<Exclude<Category, 'other'>, string> = {
  compute: `
    aws_instance aws_launch aws_autoscaling aws_ecs aws_eks aws_lambda aws_batch aws_elastic_beanstalk aws_apprunner
    aws_lightsail aws_spot aws_ami aws_emr aws_sagemaker aws_placement aws_imagebuilder aws_amplify aws_bedrock
    google_compute google_container google_cloud_run google_cloudfunctions google_cloudfunctions2 google_app_engine
    google_dataproc google_dataflow google_workflows google_vertex google_composer google_gke google_notebooks
    azurerm_virtual_machine azurerm_linux azurerm_windows azurerm_kubernetes azurerm_container azurerm_function azurerm_app
    azurerm_service_plan azurerm_static azurerm_batch azurerm_orchestrated azurerm_image azurerm_availability azurerm_logic
    azurerm_machine_learning azurerm_cognitive azurerm_spring azurerm_web azapi
    kubernetes_deployment kubernetes_stateful kubernetes_daemonset kubernetes_daemon kubernetes_pod kubernetes_job
    kubernetes_cron kubernetes_replication kubernetes_horizontal kubernetes_node helm
    cloudflare_worker cloudflare_workers cloudflare_pages
    digitalocean_droplet digitalocean_kubernetes digitalocean_app digitalocean_function docker_container docker_service
    hcloud_server hcloud_placement linode_instance linode_lke vultr_instance vultr_kubernetes scaleway_instance
    scaleway_k8s scaleway_container scaleway_function scaleway_baremetal openstack_compute openstack_containerinfra
    oci_core_instance oci_containerengine oci_functions vsphere_virtual proxmox libvirt_domain nomad heroku vercel netlify
    fly render railway exoscale_compute ovh_cloud upcloud_server civo_instance civo_kubernetes rancher2 ibm_is_instance`,
  storage: `
    aws_s3 aws_s3control aws_ebs aws_efs aws_fsx aws_glacier aws_backup aws_storagegateway aws_volume aws_datasync aws_dlm
    google_storage google_filestore google_compute_disk google_compute_snapshot google_compute_region_disk
    azurerm_storage azurerm_managed_disk azurerm_disk azurerm_snapshot azurerm_netapp azurerm_recovery azurerm_backup
    azurerm_data_protection kubernetes_persistent kubernetes_storage cloudflare_r2
    digitalocean_volume digitalocean_spaces docker_volume hcloud_volume hcloud_snapshot linode_volume linode_object
    vultr_block vultr_object scaleway_object scaleway_block openstack_blockstorage openstack_objectstorage oci_objectstorage
    oci_core_volume oci_file minio b2 wasabi`,
  database: `
    aws_db aws_rds aws_dynamodb aws_elasticache aws_redshift aws_redshiftserverless aws_neptune aws_docdb aws_memorydb
    aws_opensearch aws_opensearchserverless aws_elasticsearch aws_dax aws_keyspaces aws_timestreamwrite aws_athena aws_glue
    aws_lakeformation aws_dms aws_qldb aws_dsql
    google_sql google_spanner google_bigtable google_bigquery google_firestore google_datastore google_redis google_alloydb
    google_memcache google_memorystore azurerm_postgresql azurerm_mysql azurerm_mssql azurerm_sql azurerm_cosmosdb
    azurerm_redis azurerm_mariadb azurerm_kusto azurerm_synapse azurerm_search azurerm_data_factory azurerm_databricks
    cloudflare_d1 cloudflare_workers_kv cloudflare_hyperdrive digitalocean_database linode_database vultr_database
    scaleway_rdb scaleway_redis openstack_db oci_database oci_mysql mongodbatlas postgresql mysql snowflake databricks
    clickhouse neon planetscale elasticsearch ec elasticstack opensearch influxdb redis rediscloud couchbase cockroach
    supabase aiven upstash pinecone`,
  network: `
    aws_vpc aws_subnet aws_route aws_route53 aws_route53_resolver aws_internet aws_egress aws_nat aws_eip aws_network aws_lb
    aws_alb aws_elb aws_cloudfront aws_api_gateway aws_apigatewayv2 aws_appmesh aws_service_discovery aws_vpn aws_dx aws_ec2
    aws_globalaccelerator aws_appsync aws_customer aws_main aws_default aws_flow aws_load aws_app_cookie aws_proxy aws_vpclattice
    aws_networkmanager
    google_compute_network google_compute_subnetwork google_compute_router google_compute_address google_compute_global
    google_compute_forwarding google_compute_backend google_compute_region_backend google_compute_url
    google_compute_region_url google_compute_target google_compute_region_target google_compute_health
    google_compute_region_health google_compute_route google_compute_vpn google_compute_ha google_compute_interconnect
    google_compute_external google_compute_service google_dns google_vpc google_api_gateway google_network google_service_networking
    google_service_directory azurerm_virtual_network azurerm_virtual_hub azurerm_virtual_wan azurerm_subnet azurerm_network
    azurerm_public azurerm_lb azurerm_application_gateway azurerm_frontdoor azurerm_cdn azurerm_dns azurerm_private
    azurerm_nat azurerm_route azurerm_vpn azurerm_express azurerm_traffic azurerm_bastion azurerm_api azurerm_local
    kubernetes_service kubernetes_ingress kubernetes_endpoints cloudflare digitalocean_vpc digitalocean_loadbalancer
    digitalocean_domain digitalocean_record digitalocean_floating digitalocean_reserved digitalocean_cdn docker_network
    hcloud_network hcloud_load hcloud_floating hcloud_primary hcloud_rdns hetznerdns linode_nodebalancer linode_domain
    linode_vpc vultr_vpc vultr_load vultr_dns scaleway_vpc scaleway_lb scaleway_domain openstack_networking openstack_lb
    openstack_dns oci_core oci_load oci_dns fastly ns1 dnsimple dns powerdns tailscale zerotier akamai ultradns godaddy
    namecheap gandi kong consul`,
  messaging: `
    aws_sqs aws_sns aws_kinesis aws_kinesisanalyticsv2 aws_msk aws_mskconnect aws_mq aws_cloudwatch_event aws_scheduler
    aws_pipes aws_sfn aws_ses aws_sesv2 aws_pinpoint aws_iot aws_schemas google_pubsub google_cloud_tasks
    google_cloud_scheduler google_eventarc azurerm_servicebus azurerm_eventhub azurerm_eventgrid azurerm_relay
    azurerm_notification azurerm_signalr azurerm_communication azurerm_iothub azurerm_stream cloudflare_queue
    scaleway_mnq kafka rabbitmq confluent oci_queue oci_streaming sendgrid mailgun twilio slack`,
  security: `
    aws_security aws_securityhub aws_vpc_security aws_default_security aws_default_network_acl aws_network_acl aws_networkfirewall
    aws_kms aws_secretsmanager aws_acm aws_acmpca aws_waf aws_wafv2 aws_wafregional aws_guardduty aws_inspector aws_inspector2
    aws_macie aws_macie2 aws_shield aws_key aws_detective aws_accessanalyzer aws_cloudhsm aws_fms aws_signer
    google_compute_firewall google_compute_security google_compute_ssl google_compute_managed google_compute_region_ssl
    google_kms google_secret google_certificate google_privateca google_binary google_scc google_access
    azurerm_network_security azurerm_key azurerm_firewall azurerm_web_application azurerm_security azurerm_sentinel
    azurerm_application_security azurerm_ssh azurerm_disk_encryption kubernetes_network kubernetes_secret kubernetes_certificate
    kubernetes_pod_security cloudflare_ruleset cloudflare_firewall cloudflare_waf cloudflare_filter cloudflare_rate
    cloudflare_origin cloudflare_certificate cloudflare_turnstile digitalocean_firewall digitalocean_certificate
    digitalocean_ssh hcloud_firewall hcloud_ssh hcloud_uploaded hcloud_managed linode_firewall linode_sshkey vultr_firewall
    scaleway_instance_security scaleway_secret scaleway_key openstack_fw openstack_keymanager openstack_networking_secgroup
    oci_kms oci_vault vault tls acme venafi boundary onepassword doppler sops infisical`,
  observability: `
    aws_cloudwatch aws_cloudtrail aws_xray aws_grafana aws_prometheus aws_synthetics aws_rum aws_oam aws_devopsguru
    google_monitoring google_logging azurerm_monitor azurerm_log azurerm_application_insights azurerm_dashboard
    digitalocean_monitor digitalocean_uptime cloudflare_logpush cloudflare_notification scaleway_cockpit oci_monitoring
    oci_logging datadog newrelic grafana pagerduty sentry opsgenie statuscake betteruptime betterstack honeycombio signalfx
    splunk dynatrace logdna mezmo sumologic checkly pingdom uptimerobot incident rollbar axiom elasticstack_kibana kibana`,
  code: `
    aws_codebuild aws_codepipeline aws_codecommit aws_codedeploy aws_codeartifact aws_codestar aws_codestarconnections
    aws_codeconnections aws_ecr aws_ecrpublic google_cloudbuild google_cloudbuildv2 google_artifact google_sourcerepo
    google_container_registry google_clouddeploy azurerm_container_registry digitalocean_container scaleway_registry
    oci_artifacts docker_image docker_registry docker_tag github gitlab bitbucket gitea azuredevops circleci buildkite tfe
    spacelift env0 argocd flux launchdarkly terraform_module harbor artifactory nexus`,
  identity: `
    aws_iam aws_cognito aws_identitystore aws_ssoadmin aws_organizations aws_rolesanywhere aws_directory aws_ram aws_controltower
    google_service_account google_project_iam google_iam google_organization google_folder google_identity google_cloud_identity
    google_iap azurerm_role azurerm_user azurerm_federated azurerm_management azurerm_pim azurerm_aadb2c azuread msgraph
    kubernetes_service_account kubernetes_role kubernetes_cluster_role kubernetes_default_service_account
    cloudflare_access cloudflare_account cloudflare_api cloudflare_zero_trust cloudflare_teams scaleway_iam oci_identity
    openstack_identity github_team github_membership github_organization gitlab_group gitlab_user okta auth0 keycloak
    googleworkspace jumpcloud onelogin zitadel authentik`,
  config: `
    aws_ssm aws_appconfig aws_config aws_cloudformation aws_servicecatalog aws_resourcegroups aws_account aws_budgets aws_ce
    google_project google_runtimeconfig google_os google_tags azurerm_resource azurerm_subscription azurerm_policy
    azurerm_app_configuration azurerm_automation azurerm_management_lock azurerm_consumption azurerm_template
    kubernetes_config kubernetes_namespace kubernetes_manifest kubernetes_resource kubernetes_limit kubernetes_labels
    kubernetes_annotations kubectl digitalocean_project digitalocean_tag scaleway_account docker_config random null time
    local template cloudinit terraform external http archive`,
  external: 'stripe zendesk jira linear airbyte fivetran hubspot shopify zoom',
}

const byBeginning: ReadonlyMap<string, Category> = new Map(
  Object.entries(beginnings).flatMap(([category, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name): [string, Category] => [name, category as Category]),
  ),
)

export function categoryOf(type: string): Category {
  for (let end = type.length; end > 0; end = type.lastIndexOf('_', end - 1)) {
    const category = byBeginning.get(type.slice(0, end))
    if (category) return category
  }
  return 'other'
}
