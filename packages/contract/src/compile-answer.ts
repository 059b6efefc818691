import type { RuleText } from './binding-answer-schema.ts'
import type { SourceBinding } from './binding-schema.ts'
import type { AnswerRule, AnswerSpec } from './table-spec.ts'

/** How to take rows out of an answer, with every default set. */
export function compileAnswer(binding: SourceBinding): AnswerSpec {
  return {
    format: binding.response_format ?? 'json',
    adapter: binding.response_adapter ?? null,
    ...selection(binding),
    ...extraction(binding),
    ...rules(binding),
    ...layout(binding),
  }
}

type Part<Key extends keyof AnswerSpec> = Pick<AnswerSpec, Key>

/** Which part of the answer holds the rows. */
function selection({
  content,
}: SourceBinding): Part<'contentFrom' | 'blocks' | 'skipBlocks' | 'matchBlocks' | 'followLinks'> {
  const blocks = content?.blocks
  const byObject = typeof blocks === 'object' ? blocks : undefined
  return {
    contentFrom: content?.from ?? 'auto',
    blocks: typeof blocks === 'object' ? 'all' : (blocks ?? 'auto'),
    skipBlocks: byObject !== undefined && 'skip' in byObject ? byObject.skip : 0,
    matchBlocks: byObject !== undefined && 'match' in byObject ? byObject.match : null,
    followLinks: content?.follow_links ?? false,
  }
}

/** How they are cut out of prose and decoded. */
function extraction(
  binding: SourceBinding,
): Part<'extract' | 'extractAfter' | 'extractBetween' | 'textPath' | 'csv'> {
  const { extract, csv } = binding
  const cut = typeof extract === 'object' ? extract : undefined
  return {
    extract: typeof extract === 'object' ? 'auto' : (extract ?? 'auto'),
    extractAfter: cut !== undefined && 'after' in cut ? cut.after : null,
    extractBetween: cut !== undefined && 'between' in cut ? cut.between : null,
    textPath: binding.text_path ?? null,
    csv: { delimiter: csv?.delimiter ?? ',', comment: csv?.comment ?? null, header: csv?.header ?? true },
  }
}

/** What the answer as a whole means. */
function rules(binding: SourceBinding): Part<'errorWhen' | 'emptyWhen' | 'truncatedWhen' | 'onTruncated'> {
  return {
    errorWhen: binding.error_when?.map(compileRule) ?? null,
    emptyWhen: binding.empty_when?.map(compileRule) ?? [],
    truncatedWhen: binding.truncated_when?.map(compileRule) ?? null,
    onTruncated: binding.on_truncated ?? 'warn',
  }
}

/** How rows lie in JSON. */
function layout(
  binding: SourceBinding,
): Part<
  'itemsPath' | 'itemPath' | 'columnsPath' | 'cellPath' | 'headerRow' | 'singleItem' | 'rows' | 'nullValues'
> {
  return {
    itemsPath: binding.items_path ?? null,
    itemPath: binding.item_path ?? null,
    columnsPath: binding.columns_path ?? null,
    cellPath: binding.cell_path ?? null,
    headerRow: binding.header_row ?? 'none',
    singleItem: binding.single_item ?? false,
    rows: binding.rows ?? 'auto',
    nullValues: binding.null_values ?? [],
  }
}

/** A rule with a path and no test asks whether something is there. */
function compileRule(rule: RuleText): AnswerRule {
  const errorClass: AnswerRule['class'] = rule.class ?? 'auto'
  if ('text' in rule) return { on: 'text', pattern: rule.text, class: errorClass }
  const base = {
    on: 'path' as const,
    path: rule.path,
    class: errorClass,
    messagePath: rule.message_path ?? null,
  }
  if (rule.equals !== undefined) return { ...base, test: 'equals', value: rule.equals }
  if (rule.not_in !== undefined) return { ...base, test: 'not_in', value: rule.not_in }
  if (rule.matches !== undefined) return { ...base, test: 'matches', value: rule.matches }
  return { ...base, test: 'exists', value: rule.exists ?? true }
}
