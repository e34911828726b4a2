"""The steps of a puzzle as one HTML page that loads nothing: no network, no other file.

The grid is drawn once, by `sudoku.writing.picture`, with everything that any step may show. A short
script changes the classes of its elements from step to step.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

from sudoku.layout import Layout
from sudoku.symbols import Symbols
from sudoku.writing.picture import Marks, fits, svg

STYLE = """\
:root{color-scheme:light dark;--back:#f4f5f8;--text:#16181d;--soft:#5b6270;--key:#fff;--rim:#c3c8d2}
@media (prefers-color-scheme:dark){:root{--back:#0f1115;--text:#f0f1f4;--soft:#a9b0bd;--key:#22252d;
--rim:#454b58}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:17px/1.45 system-ui,"Segoe UI",Roboto,
"Noto Sans",sans-serif}
main{max-width:46rem;margin:0 auto;padding:.6rem}
h1{font-size:1.1rem;margin:.2rem 0 .6rem}
svg{display:block;width:min(100%,68vh);height:auto;margin:0 auto;min-width:var(--least)}
nav{display:flex;gap:.5rem;margin:.6rem 0;position:sticky;bottom:0;background:var(--back);
padding:.4rem 0}
button{flex:1;min-height:3rem;font:inherit;font-size:1.2rem;border:1px solid var(--rim);
border-radius:.5rem;background:var(--key);color:inherit;touch-action:manipulation}
button:disabled{opacity:.4}
#text{min-height:6em}#text b{display:block}
small,summary{color:var(--soft)}
li button{all:unset;cursor:pointer;padding:.15rem 0}
li button:focus-visible{outline:2px solid}li[aria-current]{font-weight:700}
"""

SCRIPT = """\
const all=JSON.parse(document.getElementById("steps").textContent);
const steps=all.steps,n=all.names.length;
const [backs,texts]=document.querySelectorAll("svg>g");
const plain=[...backs.children].map(e=>e.getAttribute("class"));
const items=[...document.querySelectorAll("li")];
const key={first:"Home",back:"ArrowLeft",next:"ArrowRight",last:"End"};
let at=0;
function show(k){
  at=Math.max(0,Math.min(steps.length,k));
  const value=[...all.givens],marks=all.marks.map(m=>new Set(m)),step=steps[at];
  for(const s of steps.slice(0,at)){
    for(const [c,d] of s.deleted)marks[c].delete(d);
    for(const [c,d] of s.placed)value[c]=d;
  }
  const role=new Map(),gone=new Set(),cells=new Set(),house=new Set();
  if(step){
    for(const [c,d,r] of step.pattern)role.set(c*n+d,r);
    for(const [c,d] of step.deleted)gone.add(c*n+d);
    for(const [c,d] of step.placed)value[c]=d;
    for(const c of step.cells)cells.add(c);
    for(const c of step.house)house.add(c);
  }
  for(let c=0;c<value.length;c++){
    backs.children[c].setAttribute("class",plain[c]+(house.has(c)?" house":"")
      +(cells.has(c)?" pattern":""));
    const text=texts.children[c*(n+1)],v=value[c];
    if(!all.givens[c]){
      text.setAttribute("class",v?"found":"found none");
      if(v){
        text.textContent=all.names[v-1];
        const [size,length]=all.fits[v-1];
        text.setAttribute("font-size",size);
        if(length){text.setAttribute("textLength",length);
          text.setAttribute("lengthAdjust","spacingAndGlyphs")}
        else text.removeAttribute("textLength");
      }
    }
    for(let d=1;d<=n;d++){
      const i=c*n+d;
      texts.children[c*(n+1)+d].setAttribute("class","mark"+(role.has(i)?" "+role.get(i):"")
        +(gone.has(i)?" gone":"")+(v||!marks[c].has(d)?" none":""));
    }
  }
  const box=document.getElementById("text"),head=document.createElement("b");
  head.textContent=step?"Step "+(at+1)+" of "+steps.length:"After "+steps.length
    +(steps.length==1?" step":" steps");
  box.replaceChildren(head,step?step.text:all.end);
  for(const b of document.querySelectorAll("nav button"))
    b.disabled=b.id=="first"||b.id=="back"?at==0:at==steps.length;
  items.forEach((e,i)=>i==at?e.setAttribute("aria-current","step"):e.removeAttribute("aria-current"));
}
const go={first:()=>show(0),back:()=>show(at-1),next:()=>show(at+1),last:()=>show(steps.length)};
for(const id in go)document.getElementById(id).onclick=go[id];
items.forEach((e,i)=>e.firstChild.onclick=()=>{show(i);scrollTo(0,0)});
addEventListener("keydown",e=>{
  if(e.altKey||e.ctrlKey||e.metaKey)return;
  for(const id in go)if(e.key==key[id]){e.preventDefault();go[id]()}
});
const wanted=parseInt(location.hash.slice(1));
show(wanted>0?wanted-1:0);
"""


def page(
    givens: Sequence[int],
    layout: Layout,
    symbols: Symbols,
    steps: Sequence[tuple[str, Marks]],
    end: str,
) -> str:
    """A page to go through the steps of a puzzle, forward and back.

    `givens` are the digits cell by cell, 0 for a blank, `steps` the text and the marks of each
    step, `end` is a sentence on the outcome. The address may name the step to begin with:
    ``page.html#12``.
    """
    names = symbols.names
    houses = dict(layout.all_houses)
    first = steps[0][1].candidates if steps else ()
    data = {
        "names": names,
        "fits": fits(names),
        "givens": givens,
        "marks": first or [[] for _ in range(layout.cells)],
        "end": end,
        "steps": [
            {
                "text": text,
                "placed": marks.placed,
                "deleted": marks.deleted,
                "pattern": marks.pattern,
                "cells": marks.cells,
                "house": sorted({cell for name in marks.houses for cell in houses[name]}),
            }
            for text, marks in steps
        ],
    }
    # "</script" and "<!--" have a meaning in a script element
    script = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    listed = "".join(f"<li><button>{escape(text)}</button></li>" for text, _ in steps)
    # on a phone a large grid scrolls: scaled down, its marks would be too small to read
    least = 40 * layout.size if layout.size > 10 else 0
    title = f"{layout.name} sudoku{', diagonals' * layout.diagonal}, step by step"
    return f"""\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title><style>{STYLE}</style></head>
<body><main><h1>{title}</h1>
<div style="overflow-x:auto;--least:{least}px">{svg(givens, layout, symbols, whole=True)}</div>
<p id="text" aria-live="polite">{escape(end)}</p>
<nav><button id="first" aria-label="first step">&#171;</button>
<button id="back" aria-label="one step back">&#8249;</button>
<button id="next" aria-label="next step">&#8250;</button>
<button id="last" aria-label="to the end">&#187;</button></nav>
<small>Keys: left and right arrow, Home, End. Struck through: what the step deletes.</small>
<details><summary>All steps</summary><ol>{listed}</ol></details>
</main><script id="steps" type="application/json">{script}</script>
<script>{SCRIPT}</script></body></html>
"""
