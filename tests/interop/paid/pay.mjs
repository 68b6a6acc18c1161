// The official client pays for a search and reads it with its token and with its wallet.
// Arguments: server, network, asset. The key is in PAYER_PRIVATE_KEY.
import { wrapFetchWithPayment, x402Client, decodePaymentResponseHeader } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { createSIWxClientExtension } from "@x402/extensions/sign-in-with-x";
import { privateKeyToAccount } from "viem/accounts";

const [server, network, asset] = process.argv.slice(2);
const account = privateKeyToAccount(process.env.PAYER_PRIVATE_KEY);
const client = new x402Client()
  .register(network, new ExactEvmScheme(account))
  .setSpendControls({ allowedAssets: [{ network, asset, maxAmountPerPayment: "10000" }] });
client.registerExtension(createSIWxClientExtension({ signers: [account] }));
const paying = wrapFetchWithPayment(fetch, client);

const bought = await paying(`${server}/onchain/v1/search`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ query: "How many eggs?" }),
});
const { search, access_token } = await bought.json();
const address = `${server}/onchain/v1/search/${search.id}`;
const byToken = await fetch(address, { headers: { authorization: `Bearer ${access_token}` } });
const byNobody = await fetch(address);
const byWallet = await paying(address);

console.log(
  JSON.stringify({
    bought: bought.status,
    receipt: decodePaymentResponseHeader(bought.headers.get("PAYMENT-RESPONSE")),
    status: search.status,
    byToken: byToken.status,
    byNobody: byNobody.status,
    byWallet: byWallet.status,
    walletReads: (await byWallet.json()).id === search.id,
  }),
);
