import { newId, parseId } from '@kith/contract/id'
import { PICTURE_MAX_BYTES, PICTURE_MAX_PIXELS } from '@kith/contract/limits'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { requireAbilities } from '../scope/permissions.ts'
import { readInput } from '../scope/read-input.ts'
import type { Runtime, Scope } from '../scope/scope.ts'
import { findPicture, loadPictureIds, pictureTable } from '../storage/tables/accounts.ts'
import type { SessionHolder } from './sign-in/sessions.ts'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Base64 has four characters for three bytes. */
const TEXT_MAX = Math.ceil(PICTURE_MAX_BYTES / 3) * 4

/** Replaces the picture of a user. The bytes decide the type; the type that the caller names is ignored. */
export async function updatePicture(runtime: Runtime, { user_id }: SessionHolder, input: unknown): Promise<void> {
  const data = readInput(input, (fields) => fields.raw('data'))
  const bytes = typeof data === 'string' && data.length <= TEXT_MAX && BASE64.test(data) && Buffer.from(data, 'base64')
  if (!bytes) {
    return refuseValue('data', `The data must be an image of at most ${PICTURE_MAX_BYTES / 1024} KB, as base64.`)
  }
  const image = rasterImageIn(bytes)
  if (!image) return refuseValue('data', 'The image must be a PNG, a JPEG or a WebP image.')
  if (Math.max(image.width, image.height) > PICTURE_MAX_PIXELS) {
    return refuseValue('data', `The image must not have more than ${PICTURE_MAX_PIXELS} pixels on a side.`)
  }
  const id = newId(runtime.now().getTime())
  const picture = { user_id, id, type: image.type, data: bytes.toString('base64') }
  await runtime.engine.transaction((inside) => pictureTable.put(inside, picture, ['user_id']))
}

export async function removePicture(runtime: Runtime, { user_id }: SessionHolder): Promise<void> {
  await runtime.engine.transaction((inside) => pictureTable.remove(inside, { user_id }))
}

/** The picture of a member, for other members. */
export async function readPicture(scope: Scope, id: string): Promise<{ type: string; data: string }> {
  requireAbilities(scope, ['read'])
  const found = await findPicture(scope, parseId(id) ?? '')
  if (!found) return refuse({ kind: 'not_found', message: 'No member of this workspace has this picture.' })
  return { type: found.type, data: found.data }
}

export function listPictureIds(scope: Scope): Promise<ReadonlyMap<string, string>> {
  requireAbilities(scope, ['read'])
  return loadPictureIds(scope)
}

type RasterImage = { type: 'image/png' | 'image/jpeg' | 'image/webp'; width: number; height: number }

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The type and size of an image, from its bytes. Undefined for anything else, such as SVG, which can hold scripts. */
export function rasterImageIn(bytes: Buffer): RasterImage | undefined {
  if (bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG) && bytes.toString('latin1', 12, 16) === 'IHDR') {
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  }
  if (bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 && bytes[2] === 0xff) return jpegIn(bytes)
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isWebp && bytes.length >= 30 ? webpIn(bytes) : undefined
}

/** The size is in the first frame header, after any number of other segments. */
function jpegIn(bytes: Buffer): RasterImage | undefined {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function webpIn(bytes: Buffer): RasterImage | undefined {
  const type = 'image/webp'
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}
