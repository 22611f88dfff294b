# One invites, the other accepts, is promoted and leaves again.
atrium auth signup --email grace@example.com --password 'Correct4Horse!' --jq .token | atrium login --token -
atrium auth verifyEmail --email grace@example.com --code "$(code_for grace@example.com)" > /dev/null
atrium auth login --email grace@example.com --password 'Correct4Horse!' --jq .token | atrium login --token -
workspace=$(atrium workspaces list --jq '.items[0].id')
invite=$(atrium workspace_members invites post --email lin@example.com --position member --jq .token)

atrium auth signup --email lin@example.com --password 'Correct4Horse!' --jq .token | atrium login --token - --profile lin
atrium auth verifyEmail --email lin@example.com --code "$(code_for lin@example.com)" --profile lin --jq .token |
  atrium login --token - --profile lin
lin=$(atrium whoami --profile lin --jq .id)
expect_code 4 atrium workspaces get "$workspace" --profile lin
atrium workspace_members invites accept --token "$invite" --profile lin --jq .position | grep -qx member
atrium workspaces get "$workspace" --profile lin --jq .id | grep -qx "$workspace"
expect_code 4 atrium workspaces patch "$workspace" --name 'Mine now' --profile lin

atrium workspace_members patch "$lin" --position admin --jq .position | grep -qx admin
atrium workspaces patch "$workspace" --name 'Ours' --profile lin --jq .name | grep -qx Ours
atrium workspace_members del "$lin" --yes > /dev/null
expect_code 4 atrium workspaces get "$workspace" --profile lin
atrium profile list -o ndjson | wc -l | grep -qw 2
