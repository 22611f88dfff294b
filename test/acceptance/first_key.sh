# Sign up, verify, log in, make a key, use it, rotate it, revoke it.
atrium auth signup --email ada@example.com --password 'Correct4Horse!' --jq .token | atrium login --token -
atrium whoami --jq .email | grep -qx ada@example.com
atrium auth verifyEmail --email ada@example.com --code "$(code_for ada@example.com)" --jq .token | atrium login --token -
test "$(atrium whoami --jq .emailVerified)" = true

atrium api_keys post --name 'Nightly export' --scopes workspaces:read,api_keys:read > key.json
first=$(sed -n 's/^  "token": "\(.*\)",*$/\1/p' key.json)
id=$(sed -n 's/^  "id": "\(.*\)",*$/\1/p' key.json)
ATRIUM_API_KEY=$first atrium workspaces list --jq .count | grep -qx 1
test "$(atrium api_keys list --jq '.items[0].name')" = 'Nightly export'

# A new secret takes the place of the old one at once.
second=$(atrium api_keys rotate "$id" --jq .token)
expect_code 4 env ATRIUM_API_KEY="$first" atrium workspaces list
ATRIUM_API_KEY=$second atrium workspaces list --jq .count | grep -qx 1

# A delete wants to be told twice where nobody can be asked.
expect_code 2 atrium api_keys del "$id"
atrium api_keys del "$id" --yes --jq ._object | grep -qx api_key
expect_code 4 env ATRIUM_API_KEY="$second" atrium workspaces list
expect_code 3 atrium api_keys get "$id"

# What was done is on the record, and the record can be checked without the service.
atrium audit_logs list --all --jq '.items[].action' | grep -qx api_keys.rotate
test "$(atrium audit_logs list --action api_keys.del --jq '.items[0].actor.surface')" = cli
atrium audit_logs export > audit.ndjson
atrium audit verify audit.ndjson --jq .ok | grep -qx true
atrium logout
expect_code 4 atrium whoami
