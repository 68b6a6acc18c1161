// Writes Token.json from Token.sol: `npm install --no-save solc@0.8.37 && node compile.cjs`.
// The artifact is committed, so that tests need no compiler.
const fs = require("fs");
const path = require("path");
const solc = require("solc");

const source = fs.readFileSync(path.join(__dirname, "Token.sol"), "utf8");
const said = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: "Solidity",
      sources: { "Token.sol": { content: source } },
      settings: {
        optimizer: { enabled: true, runs: 200 },
        evmVersion: "paris",
        outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
      },
    }),
  ),
);
for (const error of said.errors ?? []) console.error(error.formattedMessage);
const { abi, evm } = said.contracts["Token.sol"].Token;
const artifact = { compiler: solc.version(), abi, bytecode: "0x" + evm.bytecode.object };
fs.writeFileSync(path.join(__dirname, "Token.json"), JSON.stringify(artifact) + "\n");
