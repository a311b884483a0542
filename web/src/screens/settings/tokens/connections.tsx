import type { Connection } from '@kith/contract/app/connections'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { useState } from 'react'
import { connectionsQuery, endConnection } from '../../../api/connections.ts'
import { useMcpServerAddress } from '../../../api/public-address.ts'
import { useSlug } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/code-block.tsx'
import { Confirm } from '../../../components/confirm.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Pill } from '../../../components/pill.tsx'
import { showToast } from '../../../components/toast-store.ts'
import { formatAgo, formatMomentExactly } from '../../../format/moments.ts'
import { Page, Rows, Section } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { abilityWords } from './ability-words.ts'

/** Programs that members have let into the workspace. */
export function Connections() {
  return (
    <Page
      title="Connections"
      text="Assistants and other programs that members have connected. Each acts as the member who connected it, with the abilities chosen then."
    >
      <Section
        title="Connect a program"
        text="Enter this address of the MCP server there. You are asked to sign in and to choose what it may do."
      >
        <CodeBlock text={useMcpServerAddress()} label="Address of the MCP server" />
      </Section>
      <Section title="Connected">
        <Connected />
      </Section>
    </Page>
  )
}

/** Those that can act now, each with the way to end it. */
export function Connected() {
  const { data: connections, error, refetch } = useQuery(connectionsQuery(useSlug()))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!connections) return <RowSkeletons count={2} />
  if (connections.length === 0) {
    return <EmptyState icon={Plug} title="No connections yet" text="Connected programs are listed here." />
  }
  return (
    <Rows label="Connections">
      {connections.map((connection) => (
        <ConnectionLine key={connection.id} connection={connection} />
      ))}
    </Rows>
  )
}

function ConnectionLine({ connection }: { connection: Connection }) {
  const { id, client, user, abilities, last_used_at, created_at } = connection
  const slug = useSlug()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const ending = useMutation({
    mutationFn: () => endConnection(slug, id),
    onSuccess: () => showToast({ message: `${client.name} is no longer connected` }),
    onError: ({ message }) => showToast({ tone: 'danger', message }),
    onSettled: () => queries.invalidateQueries({ queryKey: connectionsQuery(slug).queryKey }),
  })
  return (
    <li className="flex items-start gap-3 py-3">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="text-sm font-medium wrap-anywhere">{client.name}</span>
          {abilities.map((ability) => (
            <Pill key={ability}>{abilityWords[ability].name}</Pill>
          ))}
        </p>
        <p className="mt-1 text-xs text-faint">
          As {user.name} ·{' '}
          {last_used_at === null ? (
            'Never used'
          ) : (
            <time dateTime={last_used_at} title={formatMomentExactly(last_used_at)}>
              Last used {formatAgo(last_used_at)}
            </time>
          )}{' '}
          ·{' '}
          <time dateTime={created_at} title={formatMomentExactly(created_at)}>
            Since {formatAgo(created_at)}
          </time>
        </p>
      </div>
      <Button
        size="small"
        disabled={ending.isPending}
        aria-label={`Disconnect ${client.name}`}
        onClick={() => setAsking(true)}
      >
        Disconnect
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Disconnect ${client.name}?`}
        action="Disconnect"
        onConfirm={() => ending.mutate()}
      >
        Its next request is refused. To come back it must be let in again.
      </Confirm>
    </li>
  )
}
