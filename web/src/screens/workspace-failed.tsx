import { KithError } from '@kith/sdk'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Suspense } from 'react'
import { chunk } from '../components/chunk.tsx'
import { Failed } from './failed.tsx'

const HeldBack = chunk(async () => (await import('./entrance/held-back.tsx')).HeldBack)

/** A workspace that could not be opened. Where it wants more of the session, the page says what and helps with it. */
export function WorkspaceFailed(props: ErrorComponentProps) {
  const { error } = props
  if (!(error instanceof KithError) || error.reason === null) return <Failed {...props} />
  return (
    <Suspense fallback={null}>
      <HeldBack reason={error.reason} message={error.message} />
    </Suspense>
  )
}
