import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { consentQuery, settleConsent } from '../../api/consent.ts'
import { sessionQuery } from '../../api/session.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { ConsentForm } from './consent-form.tsx'
import { Entrance } from './entrance.tsx'

/** Asks the user whether a program may use a workspace. */
export function Consent(): ReactNode {
  // Exactly as the program wrote it, because it is signed.
  const query = window.location.search.slice(1)
  const { data: session } = useSuspenseQuery(sessionQuery)
  const told = new URLSearchParams(query).get('error_description')
  const asked = useQuery({ ...consentQuery(query), enabled: told === null })
  const answer = useMutation({
    mutationFn: settleConsent,
    onSuccess: ({ url }) => window.location.assign(url),
  })
  const problem = told ?? asked.error?.message
  if (problem !== undefined) {
    return (
      <Entrance title="This link does not work">
        <p className="text-sm">{problem}</p>
      </Entrance>
    )
  }
  if (!asked.data) {
    return (
      <Entrance title="Allow access">
        <Skeleton className="h-40" />
      </Entrance>
    )
  }
  const { client } = asked.data
  return (
    <Entrance
      title={`Let ${client.name} use Kith?`}
      text={`It will act in your name, ${session.user.name} (${session.user.email}), until you end the connection under Settings, Connections.`}
    >
      <ConsentForm
        request={asked.data}
        workspaces={session.workspaces}
        settling={answer.isPending || answer.isSuccess}
        problem={answer.error?.message}
        onAllow={(granted) => answer.mutate({ accept: true, query, ...granted })}
        onDeny={() => answer.mutate({ accept: false, query })}
      />
    </Entrance>
  )
}
