import { newId, parseId } from '@kith/contract/id'
import { PICTURE_MAX_BYTES, PICTURE_MAX_PIXELS } from '@kith/contract/limits'
import { refuse, refuseValue } from '@kith/contract/refusal'
import { requireAbilities } from '../records/allow.ts'
import { readInput } from '../scope/read-input.ts'
import type { Runtime, Scope } from '../scope/scope.ts'
import { deletePicture, findPicture, loadPictureIds, replacePicture } from '../storage/tables/accounts.ts'
import { rasterImageIn } from './raster-image.ts'
import type { SessionHolder } from './sign-in/sessions.ts'

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Base64 has four characters for three bytes. */
const TEXT_MAX = Math.ceil(PICTURE_MAX_BYTES / 3) * 4

/** Replaces the picture of a user. What it is, its bytes say, not the caller. */
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
  await runtime.engine.transaction((inside) => replacePicture(inside, picture))
}

export async function removePicture(runtime: Runtime, { user_id }: SessionHolder): Promise<void> {
  await runtime.engine.transaction((inside) => deletePicture(inside, user_id))
}

/** The picture of a member, for other members. */
export async function readPicture(scope: Scope, id: string): Promise<{ type: string; data: string }> {
  requireAbilities(scope, ['read'])
  const found = await findPicture(scope, parseId(id) ?? '')
  if (!found) return refuse({ kind: 'not_found', message: 'No member of this workspace has this picture.' })
  return { type: found.type, data: found.data }
}

/** The ids of pictures by member. */
export function listPictureIds(scope: Scope): Promise<ReadonlyMap<string, string>> {
  requireAbilities(scope, ['read'])
  return loadPictureIds(scope)
}
