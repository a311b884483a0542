import type { ReactNode } from 'react'
import { changedRecord, type PropertyChange, type RecordInput } from '../api/patch-record.ts'
import type { ApiRecord } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Input, Textarea } from '../components/controls.tsx'
import { Dialog } from '../components/dialog.tsx'
import type { Property } from '../properties/property.ts'
import { customChange, nameChange } from '../properties/property-change.ts'
import { isLongText } from '../properties/property-view.ts'
import type { IncludedRecords } from '../properties/related.ts'
import { ShowProperty } from '../properties/show-property.tsx'
import { combineTexts } from './combine-texts.ts'
import type { Draft, SeenVersion } from './draft-store.ts'
import { discardDraft, editDraft, sendAgain } from './drafts.ts'

type Props = { property: Property; record: ApiRecord; included: IncludedRecords; draft: Draft }

/** Shows both versions of a value side by side. The user takes one, or works both into theirs. */
export function ConflictPanel({ property, record, included, draft }: Props) {
  const { theirs } = draft
  if (draft.state !== 'conflict' || !theirs) return null
  return (
    <section
      role="alert"
      aria-label={`${property.label} was changed ${theirs.isOwn ? 'in another tab' : 'by someone else'}`}
      className="mt-2 rounded-md border border-edge bg-paper p-3 text-sm whitespace-normal [&_.flex.overflow-hidden]:flex-wrap [&_.flex.overflow-hidden>*]:max-w-full"
    >
      <p className="mb-2 font-medium">
        {theirs.isOwn ? 'You also changed this in another tab.' : 'Someone else changed this while you were editing.'}{' '}
        Nothing is overwritten yet.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Version title="Yours">
          <Yours property={property} record={record} included={included} draft={draft} />
          <div className="flex flex-wrap gap-2">
            <Button size="small" look="primary" onClick={() => sendAgain(draft)}>
              Keep yours
            </Button>
            {isText(property) && isLongText(property) && (
              <Button size="small" onClick={() => editDraft(draft, combined(property, draft, theirs))}>
                Combine both
              </Button>
            )}
          </div>
        </Version>
        <Version title={theirs.isOwn ? 'In the other tab' : 'Theirs'}>
          <div className="max-h-64 min-h-8 flex-1 overflow-y-auto rounded-sm bg-hover p-2 whitespace-pre-wrap wrap-anywhere empty:before:text-quiet empty:before:content-['Empty']">
            {isText(property) ? (
              textAt(property, theirs.values)
            ) : (
              <ShowProperty property={property} record={record} included={included} />
            )}
          </div>
          <Button size="small" className="self-start" onClick={() => takeTheirs(draft, theirs)}>
            {theirs.isOwn ? 'Keep the other' : 'Keep theirs'}
          </Button>
        </Version>
      </div>
    </section>
  )
}

/** The text of someone else is stored already. The user's own text of another tab may be here only. */
function takeTheirs(draft: Draft, { isOwn, values }: SeenVersion): void {
  if (isOwn) sendAgain({ ...draft, change: { input: values, shown: values } })
  else discardDraft(draft)
}

function Version({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h3 className="text-xs font-medium text-quiet">{title}</h3>
      {children}
    </div>
  )
}

/** A text can be changed here, so that parts of the other one can be taken over. */
function Yours({ property, record, included, draft }: Props) {
  if (!isText(property)) {
    return (
      <div className="min-h-8 flex-1 rounded-sm bg-hover p-2">
        <ShowProperty property={property} record={changedRecord(record, draft.change)} included={included} />
      </div>
    )
  }
  const TextInput = isLongText(property) ? Textarea : Input
  return (
    <TextInput
      aria-label={`Your ${property.label}`}
      dir="auto"
      {...(isLongText(property) && { rows: 8 })}
      value={textAt(property, draft.change.shown)}
      onChange={(event: { target: { value: string } }) => editDraft(draft, textChange(property, event.target.value))}
    />
  )
}

type TextProperty = Extract<Property, { kind: 'name' | 'custom' }>

function isText(property: Property): property is TextProperty {
  return (
    property.kind === 'name' || (property.kind === 'custom' && (isLongText(property) || property.field.type === 'text'))
  )
}

function textAt(property: TextProperty, values: RecordInput): string {
  const value = property.kind === 'custom' ? values.custom_fields?.[property.field.code] : values[property.key]
  return typeof value === 'string' ? value : ''
}

function textChange(property: TextProperty, text: string): PropertyChange {
  return property.kind === 'name' ? nameChange(property, text) : customChange(property.field, text === '' ? null : text)
}

function combined(property: TextProperty, { change }: Draft, theirs: SeenVersion): PropertyChange {
  return textChange(property, combineTexts(textAt(property, change.shown), textAt(property, theirs.values)))
}

/** Both versions of a value of a table. */
export function ConflictDialog(props: {
  property: Property
  record: ApiRecord
  included: IncludedRecords
  draft: Draft
  onClose(): void
}) {
  const { onClose, ...conflict } = props
  return (
    <Dialog open wide forgets onOpenChange={onClose} title={`${conflict.draft.label} of ${conflict.draft.name}`}>
      <ConflictPanel {...conflict} />
    </Dialog>
  )
}
