// A chat with an offer: the answer as it comes. Without this, the form opens a page with the answer.
'use strict';
for (const form of document.querySelectorAll('[data-chat]')) {
  const find = selector => form.querySelector(selector);
  const message = find('[name=message]');
  const status = find('[data-cost]');
  const stop = find('[data-stop]');
  const send = find('button.primary');
  let stopping = null;

  find('[data-plain]').hidden = true;

  const said = () => [...form.querySelectorAll('[name=said]')].map(input => input.value);

  // As the server does: two bytes of the messages a token, and what surrounds them.
  function showMost() {
    const messages = [...said(), message.value].map((content, turn) => (
      { role: turn % 2 ? 'assistant' : 'user', content }));
    const bytes = new TextEncoder().encode(JSON.stringify(messages)).length;
    const tokens = Math.ceil(bytes / 2) + 16 * messages.length + 64;
    const output = Number(find('[name=max_tokens]').value) || 0;
    const most = (tokens * Number(form.dataset.inputRate) + output * Number(form.dataset.outputRate)) / 1e6;
    find('[data-most]').textContent = most.toFixed(9).replace(/\.?0+$/, '') || '0';
  }

  function turn(kind, who, text) {
    const place = document.createElement('div');
    const paragraph = document.createElement('p');
    place.className = `turn ${kind}`;
    place.append(Object.assign(document.createElement('strong'), { textContent: who }), paragraph);
    paragraph.textContent = text;
    find('[data-turns]').append(place);
    return paragraph;
  }

  function keep(text) {
    form.prepend(Object.assign(document.createElement('input'), { type: 'hidden', name: 'said', value: text }));
    const inputs = [...form.querySelectorAll('[name=said]')];
    inputs[inputs.length - 1].after(inputs[0]);  // behind those of the turns before
  }

  async function* events(body) {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let held = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      held += decoder.decode(value, { stream: true });
      const lines = held.split('\n');
      held = lines.pop();
      for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6));
    }
  }

  async function ask(asked) {
    const body = new FormData(form);
    stopping = new AbortController();
    const answer = await fetch(form.action, { method: 'POST', body, headers: { Accept: 'text/event-stream' }, signal: stopping.signal });
    // What is no text is a page, such as that to sign in, which keeps the form.
    if (answer.headers.get('Content-Type')?.startsWith('text/html')) { form.submit(); return; }
    if (!answer.ok) { status.textContent = await answer.text(); return; }
    turn('asked', 'You', asked);
    const shown = turn('reply', form.dataset.model, '');
    for await (const event of events(answer.body)) {
      if (event.error) status.textContent = event.error.message;
      shown.textContent += event.choices?.[0]?.delta?.content ?? '';
      const usage = event.usage;
      if (usage) status.textContent = `Cost ${usage.cost} USD: ${usage.prompt_tokens} tokens in, ${usage.completion_tokens} out.`;
    }
    keep(asked);
    keep(shown.textContent);
    message.value = '';
    showMost();
  }

  form.addEventListener('submit', async event => {
    event.preventDefault();
    const asked = message.value.trim();
    if (!asked || stopping) return;
    send.disabled = true;
    stop.hidden = false;
    status.textContent = 'Waiting for the answer';
    try {
      await ask(asked);
    } catch {
      status.textContent = stopping.signal.aborted ? 'Stopped. What had come is charged.' : 'The connection broke. Try again.';
    } finally {
      stopping = null;
      send.disabled = false;
      stop.hidden = true;
      message.focus();
    }
  });

  stop.addEventListener('click', () => stopping?.abort());
  form.addEventListener('input', showMost);
  showMost();
}
