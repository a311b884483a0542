import type { Objects } from '../../contents/content-store.ts'
import { readChains, spansOf } from './chain.ts'

/**
 * Removes what no moment since `before` needs, and what copies that were interrupted left behind. No copy may be going
 * on.
 */
export async function expireMoments(objects: Objects, before: Date): Promise<void> {
  const chains = await readChains(objects)
  const oldest = spansOf(chains).findLast(({ copy }) => copy.at <= before.getTime())
  const copies = new Set<string>()
  const others = new Set<string>()
  const parts = new Set<string>()
  for (const chain of chains) {
    const isEarlier = oldest !== undefined && chain.id < oldest.chain.id
    for (const copy of chain.copies) {
      const isOver = isEarlier || (chain.id === oldest?.chain.id && copy.at < oldest.copy.at)
      if (isOver) copies.add(copy.key)
      else for (const { key } of copy.parts) parts.add(key)
    }
    for (const { key, number } of chain.segments) {
      if (isEarlier || (chain.id === oldest?.chain.id && number < oldest.copy.first)) others.add(key)
    }
  }
  for await (const { key } of objects.list()) {
    if (/\/copy-\d+\//.test(key) && !parts.has(key)) others.add(key)
    if (oldest && key.endsWith('/seen.json') && key < oldest.chain.id) others.add(key)
  }
  // Without its description a copy is not used, so that nothing that is left is incomplete.
  for (const key of [...copies, ...others]) await objects.remove(key)
}
