import { isUnsent } from '@kith/contract/raw-input'
import { INCLUDE_EXTERNAL_IDS } from '@kith/contract/resource'
import type { Asked } from '../records/ask.ts'

/** Parameters that also show the external ids. What is no list of names stays as it is, and is refused. */
export function withExternalIds({ raw, ...asked }: Asked): Asked {
  const { include } = raw
  const names = isUnsent(include) ? [] : typeof include === 'string' ? [include] : include
  return { ...asked, raw: { ...raw, include: Array.isArray(names) ? [...names, INCLUDE_EXTERNAL_IDS] : names } }
}
