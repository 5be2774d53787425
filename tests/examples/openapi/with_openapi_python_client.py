"""The ordinary calls of a test, by the clients that openapi-python-client makes of both documents."""

import os

from control_client import Client as ControlClient
from control_client.api.accounts import get_accounts_id
from control_client.api.choices import put_choices
from control_client.api.faults import post_faults
from control_client.api.reset import post_reset
from control_client.api.verify import post_verify
from control_client.models import AccountState, Choices, PostResetRequest, PostResetRequestLimitsType0
from relayer_client import AuthenticatedClient
from relayer_client.api.exchange import get_orders
from relayer_client.models import ErrorAnswer, GetOrdersAnswer

URL = os.environ["RELAYER_URL"]
control = ControlClient(base_url=URL)

choices = Choices.from_dict({"http.error_status": "split"})
start = PostResetRequest(choices=choices, clock="frozen", limits=PostResetRequestLimitsType0.OFF)
assert post_reset.sync_detailed(client=control, body=start).status_code == 200
assert put_choices.sync_detailed(client=control, body=Choices.from_dict({"order.dust": "keep"})).status_code == 200
alice = get_accounts_id.sync("alice", client=control)
assert isinstance(alice, AccountState)
account_id = alice.account_id
relayer = AuthenticatedClient(base_url=URL, token=alice.api_key, prefix="", auth_header_name="X-API-KEY")

fault = {"on": "get_orders", "code": 107001, "when": {"accountId": account_id}}
assert post_faults.sync_detailed(client=control, body=fault).status_code == 200
refusal = get_orders.sync(client=relayer, account_id=account_id)
assert isinstance(refusal, ErrorAnswer)
assert refusal.result_info.code == 107001
orders = get_orders.sync(client=relayer, account_id=account_id)
assert isinstance(orders, GetOrdersAnswer)
assert orders.data.total_num == 0
expected = {"endpoint": "get_orders", "times": 2, "query": {"accountId": account_id}}
assert post_verify.sync_detailed(client=control, body=expected).status_code == 200
print("called")
