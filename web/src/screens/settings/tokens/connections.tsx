import type { Ability } from '@kith/contract/abilities'
import type { Connection } from '@kith/contract/app/connections'
import { useQuery } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { useMcpServerAddress } from '../../../api/session.ts'
import { connectionsQuery, endConnection } from '../../../api/tokens.ts'
import { useSlug } from '../../../api/workspace.ts'
import { CodeBlock } from '../../../components/copy.tsx'
import { ConfirmButton } from '../../../components/dialog.tsx'
import { Moment } from '../../../components/moment.tsx'
import { Pill } from '../../../components/pill.tsx'
import { EmptyState, ErrorState } from '../../../components/states.tsx'
import { formatAgo } from '../../../format/moments.ts'
import { useAction } from '../../../forms/save.ts'
import { EndingWebhooks } from '../ending-webhooks.tsx'
import { Page, RowSkeletons, Rows, Section } from '../page.tsx'
import { UndoChanges } from './undo-changes.tsx'

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
  const ending = useAction(() => endConnection(slug, id), {
    message: `${client.name} is no longer connected`,
    reload: [connectionsQuery(slug).queryKey],
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
            <Moment at={last_used_at}>Last used {formatAgo(last_used_at)}</Moment>
          )}{' '}
          · <Moment at={created_at}>Since {formatAgo(created_at)}</Moment>
        </p>
      </div>
      <UndoChanges token={id} name={client.name} />
      <ConfirmButton
        size="small"
        disabled={ending.isPending}
        aria-label={`Disconnect ${client.name}`}
        question={`Disconnect ${client.name}?`}
        text={
          <>
            Its next request is refused. To use it again, connect it again.
            <EndingWebhooks endsWith={{ token: id }} />
          </>
        }
        action="Disconnect"
        onConfirm={() => ending.mutate()}
      >
        Disconnect
      </ConfirmButton>
    </li>
  )
}

/** What each permission of a token allows, in the words of the API. */
export const abilityWords: Readonly<Record<Ability, { name: string; allows: string }>> = {
  read: { name: 'Read', allows: 'List, query and read records, custom fields and the user (GET, POST …/query)' },
  create: { name: 'Create', allows: 'Make new records (POST); with Update also create or update in one call (upsert)' },
  update: { name: 'Update', allows: 'Change records (PUT, PATCH)' },
  delete: { name: 'Delete', allows: 'Move records to the trash (DELETE)' },
}
