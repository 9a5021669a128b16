"""The explore reading: a text in a finite world, lowered to a few words of bits and to source text over them.

``Lowering`` makes formulas over rows, ``Layout`` gives each row its bit and finds the symmetry, ``columns_source`` and
``words_source`` write the functions that an explorer runs.
"""
