import type { ReactNode } from 'react'
import { changedRecord, type PropertyChange, type RecordInput, valuesAt } from '../api/patch-record.ts'
import type { ApiRecord } from '../api/records.ts'
import { Button } from '../components/button.tsx'
import { Textarea } from '../components/controls.tsx'
import { Dialog } from '../components/dialog.tsx'
import type { Property } from '../properties/property.ts'
import { customChange, nameChange } from '../properties/property-change.ts'
import { isLongText } from '../properties/property-view.ts'
import type { IncludedRecords } from '../properties/related.ts'
import { ShowProperty } from '../properties/show-property.tsx'
import { combineTexts } from './combine-texts.ts'
import type { Draft, SeenVersion } from './draft-store.ts'
import { discardDraft, editDraft, sendAgain } from './drafts.ts'
import { markedText, onlyIn } from './text-difference.ts'

type Props = { property: Property; record: ApiRecord; included: IncludedRecords; draft: Draft }

/** Shows both versions of a value side by side. The user takes one, or works both into theirs. */
export function ConflictPanel(props: Props) {
  const { property, record, draft } = props
  const { theirs } = draft
  if (draft.state !== 'conflict' || !theirs) return null
  const yours = valuesAt(draft.change.input, draft.change.shown)
  return (
    <section
      role="alert"
      aria-label={`${property.label} was changed ${theirs.isOwn ? 'in another tab' : 'by someone else'}`}
      className="mt-2 rounded-md border border-edge bg-paper p-3 text-sm whitespace-normal"
    >
      <p className="mb-2 font-medium">
        {theirs.isOwn ? 'You also changed this in another tab.' : 'Someone else changed this while you were editing.'}{' '}
        Nothing is overwritten yet.
      </p>
      {/* The panel may be as narrow as a column of details. */}
      <div className="@container">
        <div className="grid gap-3 @md:grid-cols-2">
          <Version
            title="Yours"
            actions={
              <>
                <Button size="small" look="primary" onClick={() => sendAgain(draft)}>
                  Keep yours
                </Button>
                {isText(property) && isLongText(property) && (
                  <Button size="small" onClick={() => editDraft(draft, combined(property, draft, theirs))}>
                    Combine both
                  </Button>
                )}
              </>
            }
          >
            {isText(property) ? (
              <YourText property={property} draft={draft} theirs={theirs} />
            ) : (
              <Value {...props} record={changedRecord(record, draft.change)} own={yours} other={theirs.values} />
            )}
          </Version>
          <Version
            title={theirs.isOwn ? 'In the other tab' : 'Theirs'}
            actions={
              <Button size="small" onClick={() => takeTheirs(draft, theirs)}>
                {theirs.isOwn ? 'Keep the other' : 'Keep theirs'}
              </Button>
            }
          >
            {isText(property) ? (
              <p dir="auto" className={`${valueLook} whitespace-pre-wrap`}>
                <Marked text={textAt(property, theirs.values)} other={textAt(property, draft.change.shown)} />
              </p>
            ) : (
              <Value {...props} own={theirs.values} other={yours} />
            )}
          </Version>
        </div>
      </div>
    </section>
  )
}

/** The text of someone else is stored already. The user's own text of another tab may be here only. */
function takeTheirs(draft: Draft, { isOwn, values, change }: SeenVersion): void {
  if (isOwn) sendAgain({ ...draft, change: change ?? { input: values, shown: values } })
  else discardDraft(draft)
}

function Version({ title, actions, children }: { title: string; actions: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="flex-1 text-xs font-medium text-quiet">{title}</h3>
        {actions}
      </div>
      {children}
    </div>
  )
}

/** Values are shown whole, so that one can choose between them. */
const valueLook =
  "min-h-8 flex-1 rounded-sm bg-hover p-2 wrap-anywhere empty:before:text-quiet empty:before:content-['Empty'] " +
  '[&_.block.truncate]:whitespace-normal [&_.flex.overflow-hidden]:flex-wrap [&_.line-clamp-12]:line-clamp-none'

/** Not by colour alone. */
const markLook = 'rounded-xs bg-warning-soft text-inherit underline decoration-ink decoration-2 underline-offset-2'

function Marked({ text, other }: { text: string; other: string }) {
  return markedText(text, other).map(({ text: part, only }, place) =>
    only ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no names
      <mark key={place} className={markLook}>
        {part}
      </mark>
    ) : (
      part
    ),
  )
}

/** The own text can be changed here, so that parts of the other one can be taken over. */
function YourText({ property, draft, theirs }: { property: TextProperty; draft: Draft; theirs: SeenVersion }) {
  const text = textAt(property, draft.change.shown)
  const oneLine = (typed: string) => (isLongText(property) ? typed : typed.replaceAll('\n', ' '))
  return (
    <div className="grid flex-1">
      {/* The same text below the input gives it its height, and marks the difference. */}
      <p
        aria-hidden
        dir="auto"
        className="px-2.5 py-1.5 leading-5 whitespace-pre-wrap text-transparent wrap-anywhere [grid-area:1/1]"
      >
        <Marked text={text} other={textAt(property, theirs.values)} />{' '}
      </p>
      <Textarea
        aria-label={`Your ${property.label}`}
        dir="auto"
        rows={1}
        value={text}
        onChange={(event) => editDraft(draft, textChange(property, oneLine(event.target.value)))}
        className="min-h-8 resize-none overflow-hidden bg-transparent leading-5 wrap-anywhere [grid-area:1/1]"
      />
    </div>
  )
}

/** A value that is no text, and what of a list only this version has. */
function Value(props: Props & { own: RecordInput; other: RecordInput }) {
  const { property, record, included, own, other } = props
  const only = onlyIn(own, other)
  return (
    <>
      <div className={valueLook}>
        <ShowProperty property={property} record={record} included={included} all />
      </div>
      {only.length > 0 && (
        <p className="text-xs">
          Only here: <mark className={markLook}>{only.join(', ')}</mark>
        </p>
      )}
    </>
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
    <Dialog open wide closesAtOnce onOpenChange={onClose} title={`${conflict.draft.label} of ${conflict.draft.name}`}>
      <ConflictPanel {...conflict} />
    </Dialog>
  )
}
