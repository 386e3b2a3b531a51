import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

const sha256 = (data: Buffer): Buffer => createHash("sha256").update(data).digest();

interface SoftPasskeyOptions {
  origin: string;
  /** Whether it verifies its user by fingerprint or PIN. */
  isUserVerified?: boolean;
}

interface Use {
  counter?: number;
  isUserVerified?: boolean;
  origin?: string;
}

/** CBOR of `{fmt: "none", attStmt: {}, authData}`. */
const attestationOf = (authData: Buffer): Buffer => {
  const length = Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]);
  const head = Buffer.concat([Buffer.from([0xa3, 0x63]), Buffer.from("fmt"), Buffer.from([0x64]), Buffer.from("none")]);
  const statement = Buffer.concat([Buffer.from([0x67]), Buffer.from("attStmt"), Buffer.from([0xa0])]);
  return Buffer.concat([head, statement, Buffer.from([0x68]), Buffer.from("authData"), length, authData]);
};

/** COSE key: ES256 on P-256. */
const coseOf = (x: string, y: string): Buffer =>
  Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    Buffer.from(x, "base64url"),
    Buffer.from([0x22, 0x58, 0x20]),
    Buffer.from(y, "base64url"),
  ]);

/** A passkey without a browser: answers WebAuthn requests as an authenticator does. */
export const softPasskey = ({ origin, isUserVerified = true }: SoftPasskeyOptions) => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  let userHandle = "";

  const authDataOf = (counter: number, verified: boolean, attested: Buffer = Buffer.alloc(0)): Buffer => {
    const flags = 0x01 | (verified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags, 0);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(Buffer.from(new URL(origin).hostname)), head, attested]);
  };
  const clientDataOf = (type: string, challenge: string, from: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }));
  const wrap = <R>(response: R) => ({
    id: id.toString("base64url"),
    rawId: id.toString("base64url"),
    type: "public-key" as const,
    clientExtensionResults: {},
    response,
  });

  return {
    id: id.toString("base64url"),
    /** The answer to a request for a new passkey. */
    create: (options: { challenge: string; user: { id: string } }, use: Use = {}) => {
      userHandle = options.user.id;
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseOf(x, y)]);
      const authData = authDataOf(use.counter ?? 0, use.isUserVerified ?? isUserVerified, attested);
      return wrap({
        clientDataJSON: clientDataOf("webauthn.create", options.challenge, use.origin ?? origin).toString("base64url"),
        attestationObject: attestationOf(authData).toString("base64url"),
        transports: ["internal"],
      });
    },
    /** The answer to a request to use it. */
    use: (options: { challenge: string }, use: Use = {}) => {
      const authData = authDataOf(use.counter ?? 0, use.isUserVerified ?? isUserVerified);
      const clientData = clientDataOf("webauthn.get", options.challenge, use.origin ?? origin);
      const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), privateKey);
      return wrap({
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: authData.toString("base64url"),
        signature: signature.toString("base64url"),
        userHandle,
      });
    },
  };
};
