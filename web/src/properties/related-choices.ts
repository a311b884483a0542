import type { MemberRow } from '@kith/contract/app/members'
import { type RelatedType, resourceIn, type Schema } from '@kith/contract/resource'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '../api/call.ts'
import { membersQuery } from '../api/members.ts'
import { shownFailure } from '../api/problems.ts'
import { nameOf, type RecordPage, recordsKey, searchRecords } from '../api/records.ts'
import { useSchema } from '../api/schema.ts'
import { useSlug } from '../api/workspace.ts'
import type { RelatedRecord } from './related.ts'

/**
 * Members or records that match the typed text; without a text the members, or the records changed last. `problem` says
 * why the service could not be asked.
 */
export function useRelatedChoices(
  to: RelatedType,
  typed: string,
): { choices: RelatedRecord[]; busy: boolean; problem: string | undefined } {
  const slug = useSlug()
  const schema = useSchema()
  const text = usePaused(typed.trim())
  const members = useQuery({ ...membersQuery(slug), enabled: to === 'users' })
  const records = useQuery({
    queryKey: [...(to === 'users' ? [] : recordsKey(slug, to)), 'choices', text],
    queryFn: ({ signal }) => loadChoices(slug, { schema, to, text }, signal),
    placeholderData: keepPreviousData,
    enabled: to !== 'users',
  })
  if (to !== 'users') {
    const busy = records.isFetching || text !== typed.trim()
    return { choices: records.data ?? [], busy, problem: shownFailure(records)?.message }
  }
  const wanted = text.toLowerCase()
  const found = (members.data ?? []).filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(wanted))
  return { choices: found.map(asChoice), busy: false, problem: shownFailure(members)?.message }
}

function asChoice({ id, name, email, verified }: MemberRow): RelatedRecord {
  return { id, type: 'users', name, detail: verified ? email : `${email} · unverified` }
}

async function loadChoices(
  slug: string,
  { schema, to, text }: { schema: Schema; to: RelatedType; text: string },
  signal: AbortSignal,
): Promise<RelatedRecord[]> {
  if (to === 'users') return []
  if (text !== '') {
    const found = await searchRecords(slug, { q: text, resource: to, per_page: CHOICES }, signal)
    return found.map(({ id, name }) => ({ id, type: to, name }))
  }
  const body = { per_page: CHOICES, fields: resourceIn(schema, to).label, sort: '-updated_at' }
  const { data } = await call<RecordPage>('POST', `/w/${slug}/v1/${to}/query`, { body, signal })
  return data.map((record) => ({ id: record.id, type: record.type, name: nameOf(record) }))
}

const CHOICES = 12

const PAUSE_MS = 120

/** The typed text, after a pause. */
function usePaused(typed: string): string {
  const [text, setText] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return text
}
