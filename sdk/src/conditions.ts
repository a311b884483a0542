import type { ChangeOptions } from './list-query.ts'

/** The headers of a write. A write with `ifMatch` also needs a key: repeated without one, it would refuse itself. */
export function conditionsOf({ idempotencyKey, ifMatch }: ChangeOptions, keyed = ifMatch !== undefined) {
  const key = idempotencyKey ?? (keyed ? newKey() : false)
  return {
    ...(key === false ? {} : { 'Idempotency-Key': key }),
    ...(ifMatch === undefined ? {} : { 'If-Match': tagOf(ifMatch) }),
  }
}

function tagOf(ifMatch: NonNullable<ChangeOptions['ifMatch']>): string {
  const version = typeof ifMatch === 'string' ? ifMatch : ifMatch.attributes.updated_at
  if (version === undefined) throw new TypeError('ifMatch needs a record that was read with its updated_at.')
  // A tag that has its quotes, and the one that matches any version.
  return version === '*' || version.startsWith('"') ? version : `"${version}"`
}

/** Browsers have `randomUUID` on secure pages only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
