import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'

/** A device that makes passkeys, in software: what a browser and its authenticator would send. */
export type Authenticator = {
  create(options: CreationOptions, asked?: Asked): Record<string, unknown>
  get(options: { challenge: string }, asked?: Asked): Record<string, unknown>
}

type CreationOptions = { challenge: string; rp: { id: string } }

/** What differs from an honest device. */
export type Asked = { origin?: string; userVerified?: boolean; challenge?: string }

const USER_PRESENT = 1
const USER_VERIFIED = 4
const HAS_CREDENTIAL = 64

export function newAuthenticator(ownOrigin: string): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let rpId = new URL(ownOrigin).hostname
  let counter = 0
  const clientData = (type: string, challenge: string, origin = ownOrigin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const authData = (flags: number, rest = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), count, rest])
  }
  const flagsFor = (userVerified = true) => USER_PRESENT | (userVerified ? USER_VERIFIED : 0)
  const named = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' }
  return {
    create({ challenge, rp }, asked = {}) {
      rpId = rp.id
      const length = Buffer.from([0, id.length])
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
      const data = authData(flagsFor(asked.userVerified) | HAS_CREDENTIAL, credential)
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', data],
      ])
      const response = {
        clientDataJSON: clientData('webauthn.create', asked.challenge ?? challenge, asked.origin).toString('base64url'),
        attestationObject: cbor(attestation).toString('base64url'),
        transports: ['internal'],
      }
      return { ...named, response, clientExtensionResults: {} }
    },
    get({ challenge }, asked = {}) {
      const data = authData(flagsFor(asked.userVerified))
      const client = clientData('webauthn.get', asked.challenge ?? challenge, asked.origin)
      const signed = Buffer.concat([data, sha256(client)])
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: createSign('sha256').update(signed).sign(privateKey).toString('base64url'),
      }
      return { ...named, response, clientExtensionResults: {} }
    },
  }
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** An EC2 key for ES256 as RFC 9053 writes it. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return cbor(
    new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  )
}

/** As much of CBOR as a passkey needs. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (!(value instanceof Map)) throw new Error('This cannot be written as CBOR here.')
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
