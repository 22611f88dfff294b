-- Keys that were rotated before the column was there say it too.
update api_keys k set old_secret_until = s.until
from (select key_id, max(until) as until from api_key_secrets where until is not null group by key_id) s
where s.key_id = k.id;
