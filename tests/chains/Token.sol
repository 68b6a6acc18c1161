// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What the tests pay with: an ERC-20 token with EIP-3009 and nothing else. Anybody may mint.
/// Its refusals say what the deployed dollar tokens say, for their callers read those texts.
contract Token {
    string public name;
    string public constant version = "2";
    uint8 public constant decimals = 6;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant TRANSFER = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 private constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    constructor(string memory called) {
        name = called;
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        bytes32 called = keccak256(bytes(name));
        return keccak256(abi.encode(DOMAIN, called, keccak256(bytes(version)), block.chainid, address(this)));
    }

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        bytes32 said = keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce));
        spend(from, nonce, said, v, r, s);
        emit AuthorizationUsed(from, nonce);
        move(from, to, value);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        spend(authorizer, nonce, keccak256(abi.encode(CANCEL, authorizer, nonce)), v, r, s);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function spend(address by, bytes32 nonce, bytes32 said, uint8 v, bytes32 r, bytes32 s) private {
        require(!authorizationState[by][nonce], "FiatTokenV2: authorization is used or canceled");
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), said));
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0) && signer == by, "FiatTokenV2: invalid signature");
        authorizationState[by][nonce] = true;
    }

    function move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
