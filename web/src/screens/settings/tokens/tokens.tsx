import { roleMay } from '@kith/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { tokensQuery } from '../../../api/tokens.ts'
import { useWorkspace } from '../../../api/workspace.ts'
import { Button } from '../../../components/button.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ErrorState } from '../../../components/error-state.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../../components/tabs.tsx'
import { Page, Rows, Section } from '../page.tsx'
import { RowSkeletons } from '../page-skeleton.tsx'
import { Connected } from './connections.tsx'
import { NewTokenDialog } from './new-token-dialog.tsx'
import { TokenLine } from './token-line.tsx'

export function Tokens() {
  const { role } = useWorkspace()
  const [making, setMaking] = useState(false)
  return (
    <Page
      title="Access Tokens"
      text="Other systems speak with the API by a token: it acts as you, in this workspace alone, and may do no more than you chose for it."
      action={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Plus aria-hidden />
          New token
        </Button>
      }
    >
      {roleMay(role, 'see_all_tokens') ? (
        <Tabs defaultValue="own">
          <TabList aria-label="Whose tokens">
            <Tab value="own">Yours</Tab>
            <Tab value="all">All of the workspace</Tab>
          </TabList>
          <TabPanel value="own" className="mt-1 outline-none">
            <TokenList whose="own" onNew={() => setMaking(true)} />
          </TabPanel>
          <TabPanel value="all" className="mt-1 outline-none">
            <TokenList whose="all" onNew={() => setMaking(true)} />
          </TabPanel>
        </Tabs>
      ) : (
        <TokenList whose="own" onNew={() => setMaking(true)} />
      )}
      <Section title="Connections" text="Programs that were let in without a token of their own, by OAuth.">
        <Connected />
      </Section>
      {making && <NewTokenDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

function TokenList({ whose, onNew }: { whose: 'own' | 'all'; onNew(): void }) {
  const { slug } = useWorkspace()
  const { data: tokens, error, refetch } = useQuery(tokensQuery(slug, whose))
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!tokens) return <RowSkeletons />
  if (tokens.length === 0) {
    return (
      <EmptyState
        icon={KeyRound}
        title="No token yet"
        text="Make one, and call the API with it from a script, a form or another system."
      >
        <Button onClick={onNew}>New token</Button>
      </EmptyState>
    )
  }
  return (
    <Rows label="Access Tokens">
      {tokens.map((token) => (
        <TokenLine key={token.id} token={token} named={whose === 'all'} />
      ))}
    </Rows>
  )
}
