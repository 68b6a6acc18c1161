"""Reading the postings of terms."""

import numpy as np

from app.core import db
from app.domains.library.passages.index import compaction_store, lexical_store, postings
from app.domains.library.passages.index.postings import FULL, POSTING, unpacked
from app.domains.library.passages.index.retriever import ANALYSIS


def test_all_blocks_of_a_term_are_read_once(database: str) -> None:
    packed = np.zeros(100 * FULL, POSTING)
    packed["passage"] = range(len(packed))
    with db.transaction() as tx:
        tx.execute(
            "insert into lexical_generations (ns, analysis, state) values ('ns', %s, 'serving')",
            [ANALYSIS],
        )
        generation = db.value(tx, "select id from lexical_generations where ns = 'ns'")
        blocks = [(term, block) for term in (7, 8) for block in postings.blocks(packed.tobytes())]
        compaction_store.put_full(tx, generation, blocks)
        compaction_store.put_open(tx, generation, [(7, packed[:1].tobytes())])
        read = lexical_store.read(tx, "ns", [7, 9], [])
    ids = sorted(unpacked(read.blocks[7], POSTING)["passage"].tolist())
    assert ids == [0, *range(len(packed))]
    assert read.blocks.keys() == {7, 9}
    assert read.blocks[9] is None
