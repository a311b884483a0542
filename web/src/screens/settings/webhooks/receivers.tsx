import { CodeBlock } from '../../../components/code-block.tsx'
import { Tab, TabList, TabPanel, Tabs } from '../../../components/tabs.tsx'
import { receivers } from './receiver-code.ts'

/** A receiver in each language. */
export function Receivers() {
  return (
    <Tabs defaultValue={receivers[0].id}>
      <TabList aria-label="Language">
        {receivers.map(({ id, label }) => (
          <Tab key={id} value={id}>
            {label}
          </Tab>
        ))}
      </TabList>
      {receivers.map(({ id, label, code }) => (
        <TabPanel key={id} value={id} className="mt-3 outline-none">
          <CodeBlock text={code.trimEnd()} label={`Receiver in ${label}`} tall />
        </TabPanel>
      ))}
    </Tabs>
  )
}
