import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { isIPv4 } from "node:net"

/** A self-signed certificate in PEM with its key, written as X.509 DER (RFC 5280), because Node.js cannot make one. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const bytes: Array<number> = []
  for (let rest = content.length; rest > 0; rest >>= 8) bytes.unshift(rest & 0xff)
  const length = content.length < 0x80 ? [content.length] : [0x80 | bytes.length, ...bytes]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const utf8 = (text: string) => der(0x0c, Buffer.from(text))
const time = (date: Date) =>
  der(
    0x18,
    Buffer.from(
      date
        .toISOString()
        .replaceAll(/[-:T]/g, "")
        .replace(/\.\d+Z/, "Z")
    )
  )
const extension = (id: string, value: Uint8Array) => sequence(oid(id), der(0x04, value))

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const commonName = "550403"
const subjectAltName = "551d11"
const basicConstraints = "551d13"

const altName = (host: string) =>
  isIPv4(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host))

/** Makes a certificate for hosts (names or IPv4 addresses) that is valid for one more day by default. */
export const certificateFor = (hosts: ReadonlyArray<string>, until = Date.now() + 86_400_000): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(der(0x31, sequence(oid(commonName), utf8(`Test of Sheaf ${randomBytes(4).toString("hex")}`))))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(Date.now() - 2 * 86_400_000)), time(new Date(until))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(
        extension(subjectAltName, sequence(...hosts.map(altName))),
        extension(basicConstraints, sequence(der(0x01, Buffer.from([0xff]))))
      )
    )
  )
  const signature = sign("sha256", body, privateKey)
  const bytes = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  const lines = bytes.toString("base64").replaceAll(/(.{64})(?=.)/g, "$1\n")
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
  }
}
