import { useSlug } from '../../api/workspace.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../components/tabs.tsx'
import type { ApiCall } from './list-calls.ts'

/** The forms of a call, one at a time, each ready to be copied. */
export function Calls({ calls }: { calls: ApiCall[] }) {
  const slug = useSlug()
  return (
    <Tabs defaultValue={calls[0]?.id ?? ''}>
      <TabList aria-label="Forms of the call">
        {calls.map(({ id, label }) => (
          <Tab key={id} value={id}>
            {label}
          </Tab>
        ))}
      </TabList>
      {calls.map(({ id, code }) => (
        <TabPanel key={id} value={id} className="relative mt-3 outline-none">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by key
            tabIndex={0}
            className="max-h-90 overflow-auto rounded-md border border-line bg-sunk p-3 pr-24 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere"
          >
            <code>{code}</code>
          </pre>
          <CopyButton text={code} className="absolute top-2 right-2" />
        </TabPanel>
      ))}
      <p className="mt-3 text-xs text-faint">
        Set <code className="font-mono">KITH_TOKEN</code> to a token from{' '}
        <a href={`/${slug}/settings/tokens`} className="text-accent underline underline-offset-2">
          Settings, Access Tokens
        </a>
        . The{' '}
        <a href="/docs" target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
          reference
        </a>{' '}
        shows every endpoint.
      </p>
    </Tabs>
  )
}
