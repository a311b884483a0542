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
      text="Other systems use the API with a token. It acts as you, in this workspace only, with the abilities you choose."
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
      <Section title="Connections" text="Programs connected with OAuth, without an access token.">
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
        text="Create one to call the API from a script, a form or another system."
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
