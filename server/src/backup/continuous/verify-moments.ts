import type { Objects } from '../../contents/content-store.ts'
import { type Copy, readChains, type Segment, type Span, spansOf } from './chain.ts'
import { DamagedObject, readSegment, unpacked } from './packed.ts'

type Verified = { objects: number; damaged: string[]; gaps: string[]; spans: Span[] }

/** Reads everything at a place, and finds what can be restored without what is damaged. */
export async function verifyMoments(objects: Objects): Promise<Verified | undefined> {
  const chains = await readChains(objects)
  if (chains.length === 0) return undefined
  const damaged = chains.flatMap((chain) => chain.damaged)
  let read = 0
  for (const chain of chains) {
    const { segments, copies } = chain
    read += segments.length + copies.reduce((sum, { parts }) => sum + parts.length, 0)
    const found = await findDamaged(objects, chain)
    damaged.push(...found)
    chain.segments = segments.filter(({ key }) => !found.has(key))
    chain.copies = copies.filter(({ parts }) => !parts.some(({ key }) => found.has(key)))
  }
  const spans = spansOf(chains)
  return { objects: read, damaged, gaps: [...new Set(spans.flatMap(({ gap }) => gap ?? []))], spans }
}

/** The keys of what is damaged or missing of a chain, or of what the last moment needs. */
export async function findDamaged(
  objects: Objects,
  { segments, copies }: { segments: readonly Segment[]; copies: readonly Copy[] },
): Promise<Set<string>> {
  const damaged = new Set<string>()
  const note = (error: unknown) => {
    if (!(error instanceof DamagedObject)) throw error
    damaged.add(error.key)
  }
  for (const segment of segments) await readSegment(objects, segment).catch(note)
  for (const { parts } of copies) for (const part of parts) await readAll(unpacked(objects, part)).catch(note)
  return damaged
}

async function readAll(pieces: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pieces);
}
