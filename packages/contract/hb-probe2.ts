import { Parser, Composer, LineCounter } from 'yaml'
const t = (name: string, text: string) => {
  let s = performance.now()
  try {
    const lc = new LineCounter()
    const tokens = [...new Parser(lc.addNewLine).parse(text)]
    const p = performance.now() - s; s = performance.now()
    let docs: any[] = []
    if (!name.startsWith('deep')) docs = [...new Composer({ merge: true, intAsBigInt: true, uniqueKeys: false, stringKeys: true, logLevel: 'silent' }).compose(tokens, true, text.length)]
    console.log(name, tokens.length, docs.length, p.toFixed(0), (performance.now()-s).toFixed(0), JSON.stringify(docs.map(d => [d.errors.map((e:any)=>e.code+':'+e.message), d.warnings.map((e:any)=>e.code+':'+e.message), (() => { try { return d.toJS({maxAliasCount:100}) } catch (e) { return String(e) } })()]), (_k, v) => typeof v === 'bigint' ? String(v)+'n' : v).slice(0, 200))
  } catch (e) { console.log(name, 'THROWN', String(e).slice(0, 100), (performance.now()-s).toFixed(0)) }
}
t('deep brackets', '['.repeat(100000))
t('deep brackets2', '["}",'.repeat(100000))
t('deep brackets1M', '['.repeat(1000000))
t('deep dashes', '- '.repeat(500000)+'x')
t('deep q', '? '.repeat(500000)+'x')
t('deep indent', Array.from({length: 1400}, (_, i) => ' '.repeat(i) + 'a:').join('\n')+' 1')
t('deep seq-indent', Array.from({length: 1400}, (_, i) => ' '.repeat(i) + '- ').join('\n')+' 1')
t('many', Array.from({length: 60000}, (_, i) => `k${i}: 1`).join('\n'))
t('manyflow', '{' + Array.from({length: 60000}, (_, i) => `k${i}: 1`).join(',') + '}')
t('1M list', '[' + '1,'.repeat(500000) + ']')
t('1M blank', '\n'.repeat(1000000))
t('1M comment', '#\n'.repeat(500000))
t('1M docs', '---\n'.repeat(250000))
t('anchors', '[' + Array.from({length: 40000}, (_, i) => `&a${i} x, *a${i}`).join(',') + ']')
t('sameanchors', '[' + Array.from({length: 40000}, (_, i) => `&a x, *a`).join(',') + ']')
t('keys', '1: a\ntrue: b\n~: c\n? [x]\n: d\n')
t('merge', 'b: &b {x: 1}\nc:\n  <<: *b\n  <<: *b\nd: {<<: [*b], y: 1}\ne: {<<: 5}')
t('quotedmerge', 'b: {"<<": {x: 1}}')
t('errs', '%FOO x\n---\na: !foo 1\nb: [1\nc: *x\n')
t('quote', '"'.repeat(300000))
t('longplain', ('a'.repeat(10)+'\n').repeat(90000))
t('colon', ': '.repeat(300000))
t('pct', '%a\n'.repeat(300000))
t('bracesclose', '}'.repeat(1000000))
t('bangs', '!'.repeat(100000))
t('bangs2', '! '.repeat(100000))
t('amp', '&a '.repeat(100000))
