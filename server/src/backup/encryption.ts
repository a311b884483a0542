import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { closeSync, createReadStream, openSync, readFileSync, readSync } from 'node:fs'
import { refuse } from '@kith/contract/refusal'

/*
 * Format of an encrypted backup: the magic bytes, the public half of an X25519 key that is made for this file, the gzip
 * file in AES-256-GCM, and its tag. The cipher key is derived from the shared secret of the two X25519 keys, so it is
 * never used twice, and only the holder of the private key can read the file.
 */
export const ENCRYPTED_MAGIC = Buffer.from('KITHENC1')

const PUBLIC_BYTES = 32

const TAG_BYTES = 16

const CIPHER = 'aes-256-gcm'

const NONCE = Buffer.alloc(12)

const X25519_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

/** Encrypts a stream for the holder of the private key. `publicFile` is the PEM file with the public key. */
export function encryptFor(publicFile: string): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  const recipient = readKey(publicFile, createPublicKey, 'the public key')
  return async function* encrypted(source) {
    const { publicKey, privateKey } = generateKeyPairSync('x25519')
    const own = rawOf(publicKey)
    const secret = diffieHellman({ privateKey, publicKey: recipient })
    const cipher = createCipheriv(CIPHER, keyFrom(secret, own, rawOf(recipient)), NONCE)
    yield Buffer.concat([ENCRYPTED_MAGIC, own])
    for await (const chunk of source) yield cipher.update(chunk)
    yield cipher.final()
    yield cipher.getAuthTag()
  }
}

/** Whether a file is an encrypted backup. Throws if it cannot be read. */
export function isEncrypted(path: string): boolean {
  return headOf(path).subarray(0, ENCRYPTED_MAGIC.length).equals(ENCRYPTED_MAGIC)
}

/** Yields the gzip file in an encrypted backup. Fails at the end if the tag is wrong. */
export async function* decrypted(path: string, privateFile: string): AsyncGenerator<Buffer> {
  const privateKey = readKey(privateFile, createPrivateKey, 'the private key')
  const raw = headOf(path).subarray(ENCRYPTED_MAGIC.length)
  const publicKey = createPublicKey({ key: Buffer.concat([X25519_PREFIX, raw]), format: 'der', type: 'spki' })
  const secret = diffieHellman({ privateKey, publicKey })
  const decipher = createDecipheriv(CIPHER, keyFrom(secret, raw, rawOf(createPublicKey(privateKey))), NONCE)
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { start: ENCRYPTED_MAGIC.length + PUBLIC_BYTES })) {
    const all = Buffer.concat([held, chunk])
    const end = Math.max(0, all.length - TAG_BYTES)
    held = all.subarray(end)
    if (end > 0) yield decipher.update(all.subarray(0, end))
  }
  if (held.length < TAG_BYTES) throw new Error('The file ends before its tag.')
  decipher.setAuthTag(held)
  yield decipher.final()
}

function headOf(path: string): Buffer {
  const head = Buffer.alloc(ENCRYPTED_MAGIC.length + PUBLIC_BYTES)
  const file = openSync(path, 'r')
  try {
    return head.subarray(0, readSync(file, head))
  } finally {
    closeSync(file)
  }
}

function readKey(path: string, parse: (pem: Buffer) => KeyObject, what: string): KeyObject {
  try {
    const key = parse(readFileSync(path))
    if (key.asymmetricKeyType === 'x25519') return key
  } catch {
    // Reported below.
  }
  return refuseFile(`${path} must be ${what} of an X25519 pair in PEM: openssl genpkey -algorithm X25519 makes one.`)
}

function rawOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_BYTES)
}

function keyFrom(secret: Buffer, own: Buffer, recipient: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.concat([own, recipient]), 'kith backup', 32))
}

/** The first line of a backup. It is followed by each table: a head, then the rows as lists. */
export type BackupHead = {
  kith_backup: number
  made_at: string
  /** The migrations that were applied to the database. */
  migrations: readonly string[]
  /** Set if the contents of files were left out. */
  without_files?: true
}

export type TableHead = { table: string; columns: readonly string[] }

export type BackupLine = { head: BackupHead } | { table: TableHead } | { row: readonly unknown[] } | { end: BackupEnd }

/** The last line: the number of rows, and the SHA-256 of all bytes before it. */
export type BackupEnd = { rows: number; sha256: string }

/** The number of rows by table. */
export type RowCounts = Readonly<Record<string, number>>

/** The version of the format: lines of JSON, compressed with gzip. */
export const BACKUP_FORMAT = 1

export const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])

export function refuseFile(message: string): never {
  refuse({ kind: 'invalid', issues: [{ path: 'file', message }] })
}
